/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of the traced library, each with the shape that it has for a tracer. */
#ifndef HARM_LIBRARY_H
#define HARM_LIBRARY_H

#ifdef __cplusplus
extern "C" {
#endif

int hm_plain(int x);			  /* x + 1 */
int hm_call(int (*f)(void *), void *arg); /* f(arg) + 1 */
int hm_tail(int (*f)(void *), void *arg); /* f(arg), by a jump */
long hm_write(int fd, const void *data, unsigned long size);
void *hm_caller(void); /* its return address */

/* In assembler: */
int hm_nop5(int x);		/* x + 1; begins with the nop of five bytes that kernels patch */
int hm_redzone(int x);		/* x + 1; keeps it below the stack pointer */
int hm_near(int x);		/* x + 2; ends in a jump to hm_plain */
int hm_return(void);		/* nothing but a ret */
int hm_load(const int *p);	/* *p, by its first instruction */
int hm_dispatch(int x);		/* x + 1; uses ret to jump */
unsigned long hm_vex(double x); /* its bits; begins with vmovq */
int hm_vex_equal(int x);	/* x + 1; begins with vpcmpeqb, ends with vzeroupper */

#ifdef __cplusplus
}
#endif

#endif
