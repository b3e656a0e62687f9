// Take a partial apart by the builds that its dumps ran.
//
// Without stamps, builds with equal layouts are one module of a partial, and no file fits
// all of its addresses.  The history has the stacks of each dump, which are compared with
// the files one dump at a time.  A stack of dumps of several builds becomes a stack for
// each, by the estimates that the history has of it.  A partial of more dumps than are
// recorded individually shows only whether a file fits single stacks.
#ifndef HP_LIB_PARTIAL_APART_H
#define HP_LIB_PARTIAL_APART_H

#include "calc/embedded_symbols.h"
#include "model/profile.h"
#include "model/prover.h"

// Let the prover find the builds of each dump in a profile that contains one partial, for
// modules that no file fits as a whole; of dumps without records of their own, the frames
// of each stack that have names.  Each build becomes a module.  Does nothing if the
// profile has neither a history nor groups of dumps, or has a history and values of
// further sample types, which are not known for a part of a stack.  Modules cannot be
// looked up afterwards.
void hp_partial_take_apart(struct hp_profile *profile,
                           struct hp_embedded_symbols *embedded,
                           struct hp_prover *prover);

#endif
