#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Reads dump.txt, what m0addb2dump of Motr 2.0.0 wrote, back into the words of the records.

It has tables of its own, so that those of the program are not compared with themselves. Writes a
record a line: f (flat) or l (lines), its time, and its values: identifier and words in hex, with
a bar before each label. usage: words.py < dump.txt > words.txt
"""
import calendar
import re
import sys

SYMBOL_BASE = 0x7fe778dcfc90  # where &m0_ptr_wrap was, when dump.txt was written

IDS = {
    "node": 0x1001, "pid": 0x1002, "clock": 0x1003, "locality": 0x2001, "thread": 0x2002,
    "fom": 0x2004, "fom-phase": 0x2005, "fom-state": 0x2006, "fom-descr": 0x2108,
    "fom-active": 0x2109, "fom-to-bulk": 0x210a, "fom-to-tx": 0x210b, "fom-to-stio": 0x210c,
    "runq": 0x210d, "wail": 0x210e, "ast": 0x210f, "loc-forq-duration": 0x2112,
    "loc-forq-hist": 0x2113, "loc-wait-hist": 0x2114, "loc-cb-hist": 0x2115,
    "loc-queue-hist": 0x2116, "long-lock": 0x2117, "attr": 0x2118, "ios-io-descr": 0x6001,
    "stob-io-launch": 0x7001, "stob-io-end": 0x7003, "stob-ioq-thread": 0x7004,
    "stob-ioq-inflight": 0x7006, "stob-ioq-queued": 0x7007, "stob-ioq-got": 0x7008,
    "stio-req-state": 0x7009, "rpc-machine-lock": 0x8001, "rpc-out-phase": 0x8003,
    "rpc-in-phase": 0x8004, "rpc-item-id-assign": 0x8005, "rpc-item-id-fetch": 0x8006,
    "rpc-bulk-op": 0x8007, "tx-state": 0xa001, "tx-to-gr": 0xa204, "net-buf": 0xb001,
    "cas-kv-sizes": 0xc001, "cas-req-state": 0xc002, "cas-to-rpc": 0xc104,
    "cas-fom-to-crow-fom": 0xc105, "op-state": 0xd001, "cob-req-state": 0xd104,
    "cob-to-rpc": 0xd106, "client-to-ioo": 0xd107, "ioo-to-rpc": 0xd108, "bulk-to-rpc": 0xd109,
    "ioo-req-state": 0xd111, "dix-req-state": 0xe001, "dix-to-cas": 0xe104, "sit": 0x2000000,
}
# Histograms of transitions: the first identifier; of fops, the opcode.
COUNTERS = {"": 0x2007, "tx": 0xa002, "be-op": 0xa103, "cas_req": 0xc003, "op": 0xd002,
            "ioo_req": 0xd112, "dix_req": 0xe002, "dtx0": 0xf202, "drm": 0xf304}
FOPS = {"read": 41, "write": 42, "cob-create": 45, "cob-delete": 46, "cob-truncate": 47,
        "fsync-cas": 123, "getattr": 128, "setattr": 130, "cas-get": 230, "cas-put": 231,
        "cas-del": 232, "cas-cur": 233, "cas-gc-wait": 235, "DIX_Repair_copy_packet": 318,
        "DIX_Repair_copy_packet_reply": 319, "DIX_Rebalance_copy_packet": 320,
        "DIX_Rebalance_copy_packet_reply": 321, "isc-exec-fop": 350, "isc-fop-reply": 351,
        "DTM0 request": 450}
# Transitions that the dump has: number, state before, after.
TRANSITIONS = {
    "FOM states": {"Schedule": (0, 0, 1), "Failed": (1, 0, 4), "Run": (2, 1, 2),
                   "Done": (5, 2, 4), "Wakeup": (6, 3, 1)},
    "m0_be_tx::t_sm": {"opening": (0, 2, 3), "prepare-failed": (1, 2, 1), "grouping": (2, 3, 4),
                       "logged": (6, 6, 7)},
    "m0_be_op::bo_sm": {"started": (0, 0, 1), "completed": (1, 1, 2)},
    "op-conf": {"launching": (0, 1, 2), "failed-to-launch": (1, 1, 5),
                "operation-executed": (2, 2, 3), "transaction-stable": (4, 3, 4)},
    "cas_req": {"send-over-rpc": (0, 1, 2), "send-fragm-over-rpc": (1, 1, 3),
                "rpc-failure": (2, 2, 6), "req-processed": (4, 2, 5)},
    "dix_req": {"layouts-known": (0, 1, 4), "find-layouts": (1, 1, 2), "resolve-lids": (2, 1, 3),
                "execute": (12, 4, 6)},
    "IO request state machine configuration": {"init-reading": (0, 1, 2), "init-writing": (1, 1, 3),
                                               "init-complete": (2, 1, 10)},
    "dtm0dtx": {"populated": (0, 1, 2), "stabilised": (1, 2, 3), "stab-fail": (2, 2, 5)},
    "recovery_machine": {"started": (0, 0, 1), "stop-running": (1, 1, 2), "stop-idle": (2, 0, 2)},
}
GENERIC = {"initialised": 0, "finished": 1, "success": 2, "local-resource-wait-complete": 13,
           "local-resource-wait-failed": 14, "distributed-resource-wait": 15}
# The key-value service's own follow the 47 generic ones.
CAS = {"ctidx-insert": 47 + 42, "ctidx-delete": 47 + 43, "op-failed": 47 + 44}
STATE_OF = {"fom-state": "FOM states", "tx-state": "m0_be_tx::t_sm", "op-state": "op-conf",
            "cas-req-state": "cas_req", "dix-req-state": "dix_req",
            "ioo-req-state": "IO request state machine configuration"}
RPC = ["UNINITIALISED", "INITIALISED", "ENQUEUED", "URGENT", "SENDING", "SENT",
       "WAITING_FOR_REPLY", "REPLIED", "ACCEPTED", "FAILED"]
SESSION = ["init", "done", "wait"]
# Types of foms that the dump has: opcode, phases.
FOMS = {
    "m0_be_tx_group_fom": (1025, {"TGS_PREPARE": 3, "TGS_PLACING": 9, "TGS_PLACED": 10}),
    "rpc_fom_session_terminate fom": (36, {"m0_rpc_fom_sess_conn_term_phases init": 0}),
    "standard-phases": (207, {"init": 0}),
    "ha_link_outgoing_fom": (1048, {"HA_LINK_OUTGOING_STATE_WAIT_REPLY": 15}),
    "cas-fom": (231, {"init": 0}),
    "io-fom": (42, {"init": 0, "tx_wait": 14, "zero-copy-finish": 31}),
    "COB create/delete/getattr": (45, {"init": 0}),
}
NAMES = {
    "M0_RPC_CONN_TERMINATE_OPCODE": 38, "M0_RPC_CONN_TERMINATE_REP_OPCODE": 39,
    "M0_HA_LINK_MSG_REQ": 207, "M0_HA_LINK_MSG_REP": 208, "none": 0,
    "COB_REQ_ACTIVE": 0, "COB_REQ_SENDING": 1, "COB_REQ_DONE": 2,
    "M0_RPC_BULK_OP_INITIATE": 0, "M0_RPC_BULK_OP_FINISH": 1,
    "M0_AVI_IO_LAUNCH": 0, "M0_AVI_LIO_LAUNCH": 9, "M0_AVI_LIO_ENDIO": 10,
    "true": 1, "false": 0,
}
ATTRIBUTES = {"M0_AVI_STOB_IO_ATTR_UVEC_NR": 0x700a, "M0_AVI_STOB_IO_ATTR_UVEC_COUNT": 0x700b,
              "M0_AVI_STOB_IO_ATTR_UVEC_BYTES": 0x700c}


def clock(text):
    parts = [int(part) for part in re.split(r"[-:.]", text)]
    return calendar.timegm(parts[:6]) * 10**9 + parts[6]


def scalar(text, hexadecimal):
    if text in NAMES:
        return [NAMES[text]]
    if text.startswith("<"):
        return [int(part, 16) for part in text[1:-1].split(":")]
    if text.startswith("@"):
        return [int(text[1:], 16)]
    if text.startswith("0x"):
        return [int(text, 16)]
    if re.match(r"\d{4}-\d\d-\d\d-", text):
        return [clock(text)]
    if re.match(r"\d+\.\d{9}$", text):
        seconds, ns = text.split(".")
        return [int(seconds) * 10**9 + int(ns)]
    return [int(text, 16 if hexadecimal else 10)]


def state(machine, text):
    found = re.match(r"sm_id: (\d+) (?:.* -\[(.*)\]-> |o--> )", text)
    if found.group(2) is None:
        return [int(found.group(1)), 0xffffffff, 1]  # all begin in state 1
    number, _, after = TRANSITIONS[machine][found.group(2)]
    return [int(found.group(1)), number, after]


def histogram(text):
    found = re.match(r" ?nr: (\d+) min: (-?\d+) max: (-?\d+) avg: ([\d.]+) dev: ([\d.]+) "
                     r"datum: ([0-9a-f]+)  (?:@\S+ )?(\d+) (.*)", text)
    n, low, high = (int(found.group(i)) for i in (1, 2, 3))
    total = round(float(found.group(4)) * n)
    squares = round((float(found.group(5)) + (total / n)**2) * n) if n > 1 else total**2
    pairs = re.findall(r"(-?\d+): (\d+)", found.group(8).split("|")[0])
    edges = [int(edge) for edge, _ in pairs]
    step = edges[1] - edges[0]
    # The range ends anywhere within a step; that of ours does where the steps do.
    buckets = [int(found.group(7))] + [int(count) for _, count in pairs]
    words = [n, low, high, total, squares, int(found.group(6), 16), edges[0],
             edges[0] + 12 * step]
    return words + [buckets[2 * i] | buckets[2 * i + 1] << 32 for i in range(7)]


def transition(text):
    """A histogram whose identifier says of which transition it is."""
    found = re.match(r"(.*?)/(.*): .* -\[(.*?)\]-> .*?  (nr: .*)", text)
    prefix, machine, cause, rest = found.groups()
    if machine in TRANSITIONS:
        number = TRANSITIONS[machine][cause][0]
    else:
        number = GENERIC[cause] if cause in GENERIC else CAS[cause]
    if prefix in COUNTERS:
        return [COUNTERS[prefix] + number] + histogram(rest)
    kind = 1 if machine == "FOM states" else 0
    return [0x1000000 | FOPS[prefix] << 12 | kind << 8 | number] + histogram(rest)


def fields(name, text):
    if name in STATE_OF:
        return state(STATE_OF[name], text)
    if name in ("rpc-out-phase", "rpc-in-phase"):
        found = re.match(r"sm_id: (\d+) --> (\w+)", text)
        return [int(found.group(1)), 0, RPC.index(found.group(2))]
    if name == "fom-phase":
        found = re.match(r"sm_id: (\d+) --> m0_rpc_fom_sess_conn_term_phases (\w+)", text)
        return [int(found.group(1)), 0, SESSION.index(found.group(2))]
    if name == "fom":
        found = re.match(r"addr: @(\S+), '(.*)' transitions: (\d+) phase: (.*?) *$", text)
        opcode, phases = FOMS[found.group(2)]
        return [int(found.group(1), 16), opcode, int(found.group(3)), phases[found.group(4)]]
    if "datum: " in text:
        return histogram(text)
    if name == "attr":
        found = re.match(r"entity_id: (\d+), (\w+): (\d+)", text)
        return [int(found.group(1)), ATTRIBUTES[found.group(2)], int(found.group(3))]
    words = []
    for part in (part for part in re.split(r", +", text.strip()) if part):
        if part.startswith("@") and "/" in part:
            words.append(int(part.split("/")[1], 16))
            continue
        label, _, value = part.rpartition(": ") if ": " in part else ("", "", part)
        decimal = label in ("idx", "nr", "offset", "count") and name != "sit"
        hexadecimal = name == "thread" or (name == "sit" and label not in ("idx", "nr")) or (
            name == "ios-io-descr" and label in ("seg-nr", "count"))
        words += scalar(value.strip(), hexadecimal and not (decimal and name != "ios-io-descr"))
    return words


def value(text):
    if re.match(r"[^|]*?/[^|]*: .* -\[", text):
        return transition(text)
    name, _, rest = text.partition(" ")
    return [IDS[name]] + fields(name, rest.strip(" \n") if name != "ast" else "")


def line(kind, values, time):
    words = [" ".join(f"{word & (2**64 - 1):x}" for word in one) for one in values]
    print(kind, f"{time:x}", " | ".join(words))


def main():
    record = None
    print("base", f"{SYMBOL_BASE:x}")
    for text in sys.stdin.read().split("\n"):
        if text.startswith("* "):
            if record:
                line("l", record[1], record[0])
            _, stamp, rest = text.split(" ", 2)
            record = None
            if " | " in rest:
                labels = [part.strip() for part in rest.split(" |         ")[1:]]
                labels = [part for part in labels if re.match("[a-z]", part)]
                first = rest.split(" |         ")[0] if "datum: " not in rest else rest
                line("f", [value(first)] + [value(label) for label in labels], clock(stamp))
            elif rest.endswith(" ") and not rest.startswith("clock"):
                line("f", [value(rest)], clock(stamp))
            else:
                record = (clock(stamp), [value(rest)])
        elif re.match(r"\|         [a-z]", text):
            record[1].append(value(text[10:]))
    if record:
        line("l", record[1], record[0])


main()
