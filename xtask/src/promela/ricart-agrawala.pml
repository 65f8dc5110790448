/* Ricart and Agrawala's lock of N sites, each with ENTRIES requests. As in chang-roberts.pml every step handles one event as a
   whole: the states are those of `ringleader check ricart-agrawala --no-reduce`.

   An instance defines, before this: N, IDS such as { 1, 2, 3 }, ENTRIES, and the numbers of LOSSES and DUPLICATES. */
#define REMAINDER 0
#define TRYING 1
#define CRITICAL 2
#define REPLY 0

byte id[N] = IDS;
byte entries[N] = ENTRIES;
byte stage[N];
byte outstanding[N];
byte osn[N];
byte hsn[N];
byte losses = LOSSES;
byte duplicates = DUPLICATES;
/* By sender and receiver: sequence numbers of requests, and REPLY; at a receiver: the reply to a sender is deferred. */
chan link[N * N] = [6] of { byte };
bit deferred[N * N];
/* A site that has entered though another was inside, plus 1. */
byte intruder;
/* How often a waiting site was overtaken, as long as that can still exceed what is promised. */
#define MOST (N * (N + 1) / 2 - 1)
byte overtaken[N];
/* Zero between steps. */
byte m, p, q, sum;

/* Process A * N + B handles the messages from A to B, and process A * N + A the user of A. */
#define FROM (_pid / N)
#define OWN (_pid % N)
#define IN link[_pid]
#define OUT(to) link[OWN * N + (to)]

inline acquire() {
	entries[OWN]--; stage[OWN] = TRYING; hsn[OWN]++; osn[OWN] = hsn[OWN]; outstanding[OWN] = N - 1;
	for (p : 0 .. N - 1) {
		if
		:: p != OWN -> OUT(p)!osn[OWN]
		:: else
		fi
	}
}

inline release() {
	stage[OWN] = REMAINDER;
	for (p : 0 .. N - 1) {
		if
		:: deferred[p * N + OWN] -> deferred[p * N + OWN] = 0; OUT(p)!REPLY
		:: else
		fi
	}
}

/* Bounded bypass, when OWN has entered. The entries that are left are those of requests made and to be made. */
inline count_overtaken() {
	for (p : 0 .. N - 1) {
		overtaken[p] = (stage[p] == TRYING -> overtaken[p] + 1 : 0);
		assert(overtaken[p] <= MOST);
		sum = overtaken[p];
		for (q : 0 .. N - 1) {
			sum = sum + (q == p -> 0 : entries[q] + (stage[q] == TRYING -> 1 : 0))
		}
		overtaken[p] = (sum <= MOST -> 0 : overtaken[p])
	}
	q = 0
}

inline receive() {
	if
	:: m == REPLY ->
		if
		:: outstanding[OWN] > 0 -> outstanding[OWN]--
		:: else
		fi;
		if
		:: stage[OWN] == TRYING && outstanding[OWN] == 0 ->
			for (p : 0 .. N - 1) { intruder = (stage[p] == CRITICAL -> OWN + 1 : intruder) }
			stage[OWN] = CRITICAL;
			count_overtaken()
		:: else
		fi
	:: else ->
		hsn[OWN] = (m > hsn[OWN] -> m : hsn[OWN]);
		if
		:: stage[OWN] != REMAINDER && (m > osn[OWN] || m == osn[OWN] && id[FROM] > id[OWN]) -> deferred[_pid] = 1
		:: else -> OUT(FROM)!REPLY
		fi
	fi
}

/* The copy of a message follows it at once. */
inline duplicate() {
	IN?m; IN!m; IN!m;
	for (p : 3 .. len(IN)) { IN?m; IN!m }
}

/* Safety: nobody enters while another site is inside; a state that violates it has no successors. No deadlock: messages are in
   flight or somebody is inside, as long as somebody is trying. */
inline judge() {
	assert(intruder == 0);
	sum = 0;
	for (p : 0 .. N * N - 1) { sum = sum + len(link[p]) }
	for (p : 0 .. N - 1) { sum = sum + (stage[p] == TRYING -> 100 : (stage[p] == CRITICAL -> 1 : 0)) }
	assert(intruder != 0 || sum < 100 || sum % 100 > 0);
	m = 0; p = 0; sum = 0
}

active [N * N] proctype part() {
end:	do
	:: d_step { intruder == 0 && FROM == OWN && stage[OWN] == REMAINDER && entries[OWN] > 0 -> acquire(); judge() }
	:: d_step { intruder == 0 && FROM == OWN && stage[OWN] == CRITICAL -> release(); judge() }
	:: d_step { intruder == 0 && nempty(IN) -> IN?m; receive(); judge() }
	:: d_step { intruder == 0 && losses > 0 && nempty(IN) -> losses--; IN?m; judge() }
	:: d_step { intruder == 0 && duplicates > 0 && nempty(IN) -> duplicates--; duplicate(); judge() }
	od
}
