/* SPDX-License-Identifier: GPL-2.0-only */
/* What a process did, as bytes and back. */
#ifndef USER_RECORDING_ACCOUNT_CODE_H
#define USER_RECORDING_ACCOUNT_CODE_H

#include "base/pack.h"
#include "process/account.h"

void account_code__pack(struct pack *pack, const struct process_account *account);
/* 0, to be given back with account_code__free(); or -EBADMSG. */
int account_code__unpack(struct process_account *account, struct unpack *unpack);
void account_code__free(struct process_account *account);

#endif
