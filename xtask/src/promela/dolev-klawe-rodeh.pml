/* Dolev, Klawe and Rodeh's election in a ring of N processors, variant a. As in chang-roberts.pml every step handles one event as
   a whole: the states are those of `ringleader check dolev-klawe-rodeh --no-reduce`, with `--links any` if ANY is 1.

   An instance defines, before this: N below 8, IDS such as { 3, 1, 2 }, and ANY, 0 or 1. */
#define FIRST 0
#define SECOND 8
#define WON 16
#define ACTIVE 0
#define FALLS 1
#define RISES 2
#define PASSIVE 3
#define DONE 4

byte id[N] = IDS;
byte max[N] = IDS;
bit asleep[N] = 1;
bit started[N];
byte mode[N];
byte phase[N] = 1;
/* By receiver: identities, and FIRST, SECOND or WON. In any order: sorted, and the receiver takes any. */
chan link[N] = [2 * N + 2] of { byte };
/* The first identity that was reported, and who was elected, in order; what came afterwards that does not agree, by whom. */
byte agreed;
byte leader[N];
byte leaders;
byte other;
byte by;
/* Zero between steps. */
byte m, p, sum;

#define NEXT link[(_pid + 1) % N]

inline send(message) {
	if
	:: ANY -> NEXT!!message
	:: else -> NEXT!message
	fi
}

inline report(winner) {
	if
	:: agreed == 0 -> agreed = winner
	:: agreed != 0 && agreed != winner -> other = winner; by = _pid
	:: else
	fi
}

inline bid() {
	if
	:: !started[_pid] -> started[_pid] = 1; send(FIRST + id[_pid])
	:: else
	fi
}

inline receive() {
	bid();
	if
	:: mode[_pid] == DONE -> skip
	:: mode[_pid] != DONE && m > WON -> mode[_pid] = DONE; report(m - WON); send(m)
	:: mode[_pid] == ACTIVE && m == max[_pid] ->
		mode[_pid] = DONE; leader[leaders] = _pid; leaders++; report(m); send(WON + m)
	:: mode[_pid] == ACTIVE && m < SECOND && m != max[_pid] ->
		if
		:: m > max[_pid] -> mode[_pid] = RISES; max[_pid] = m
		:: else -> mode[_pid] = FALLS
		fi;
		send(SECOND + m)
	:: mode[_pid] == RISES && m > SECOND && m < WON && max[_pid] > m - SECOND ->
		mode[_pid] = ACTIVE; phase[_pid]++; send(FIRST + max[_pid])
	:: mode[_pid] == RISES && m > SECOND && m < WON && max[_pid] <= m - SECOND -> mode[_pid] = PASSIVE
	:: mode[_pid] == FALLS && m > SECOND && m < WON -> mode[_pid] = PASSIVE
	:: mode[_pid] == PASSIVE && m < WON -> send(m)
	/* Out of turn. */
	:: mode[_pid] == ACTIVE && m > SECOND && m < WON -> skip
	:: (mode[_pid] == RISES || mode[_pid] == FALLS) && m < SECOND -> skip
	fi
}

/* Safety: one identity is elected, and all agree; a state that violates it has no successors. No deadlock: messages are in flight
   as long as somebody is undecided. */
inline judge() {
	assert(other == 0);
	sum = 0;
	for (p : 0 .. N - 1) { sum = sum + len(link[p]) + (mode[p] == DONE -> 0 : 32) }
	assert(other != 0 || sum < 32 || sum % 32 > 0);
	m = 0; p = 0; sum = 0
}

#define ARRIVAL(message) :: d_step { other == 0 && link[_pid]??[eval(message)] -> link[_pid]??eval(message); m = message; receive(); judge() }
#define OF_KIND(kind) ARRIVAL(kind + 1) ARRIVAL(kind + 2) ARRIVAL(kind + 3) ARRIVAL(kind + 4) ARRIVAL(kind + 5) ARRIVAL(kind + 6) ARRIVAL(kind + 7)

active [N] proctype processor() {
end:	do
	:: d_step { other == 0 && asleep[_pid] -> asleep[_pid] = 0; bid(); judge() }
#if ANY
	OF_KIND(FIRST) OF_KIND(SECOND) OF_KIND(WON)
#else
	:: d_step { other == 0 && nempty(link[_pid]) -> link[_pid]?m; receive(); judge() }
#endif
	od
}
