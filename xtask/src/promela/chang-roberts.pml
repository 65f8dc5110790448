/* Chang and Roberts's election in a ring of N processors, anybody may wake at any time. Every step handles one event as a whole
   (a wake-up, an arrival, a loss), and processes have one control state: the states are those of `ringleader check
   chang-roberts --no-reduce`.

   An instance defines, before this: N, IDS such as { 3, 1, 2 }, and the number of LOSSES. */
#define WON 16

byte id[N] = IDS;
bit asleep[N] = 1;
bit sent[N];
bit done[N];
bit elected[N];
byte losses = LOSSES;
/* By receiver: identities that may win, and WON more than the one that has won. */
chan link[N] = [N + 1] of { byte };
/* Zero between steps. */
byte m, p, sum;

#define NEXT link[(_pid + 1) % N]

inline start() {
	if
	:: !sent[_pid] && !done[_pid] -> sent[_pid] = 1; NEXT!id[_pid]
	:: else
	fi
}

/* Safety: at most one leader. No deadlock: messages are in flight as long as somebody is undecided. */
inline judge() {
	sum = 0;
	for (p : 0 .. N - 1) { sum = sum + elected[p] }
	assert(sum <= 1);
	sum = 0;
	for (p : 0 .. N - 1) { sum = sum + len(link[p]) + (done[p] -> 0 : WON) }
	assert(sum < WON || sum % WON > 0);
	m = 0; p = 0; sum = 0
}

active [N] proctype processor() {
end:	do
	:: d_step { asleep[_pid] -> asleep[_pid] = 0; start(); judge() }
	:: d_step { nempty(link[_pid]) -> link[_pid]?m;
		if
		:: m == id[_pid] -> done[_pid] = 1; elected[_pid] = 1; NEXT!(id[_pid] + WON)
		:: m < id[_pid] -> start()
		:: m > id[_pid] && m < WON -> NEXT!m
		:: m > WON && m != id[_pid] + WON -> done[_pid] = 1; NEXT!m
		:: m == id[_pid] + WON -> skip
		fi;
		judge() }
	:: d_step { losses > 0 && nempty(link[_pid]) -> link[_pid]?m; losses--; judge() }
	od
}
