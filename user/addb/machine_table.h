/* SPDX-License-Identifier: GPL-2.0-only */
/* How the tables of machines are written; only for machines.c and fom_types.c. */
#ifndef USER_ADDB_MACHINE_TABLE_H
#define USER_ADDB_MACHINE_TABLE_H

#define BIT(n) (1ULL << (n))

#define MACHINE(name_, base_, states_, transitions_, terminal_)                                  \
	{                                                                                        \
		.name = (name_), .base = (base_), .states = (states_),                           \
		.n_states = sizeof(states_) / sizeof(*(states_)), .transitions = (transitions_), \
		.n_transitions = sizeof(transitions_) / sizeof(*(transitions_)),                 \
		.terminal = (terminal_),                                                         \
	}

/* A machine whose transitions Motr does not name. */
#define STATES(name_, states_, terminal_)                                                  \
	{                                                                                  \
		.name = (name_), .states = (states_),                                      \
		.n_states = sizeof(states_) / sizeof(*(states_)), .terminal = (terminal_), \
	}

#endif
