// Paths of files that a process creates under a new name in each run.  Java does so with
// the libraries in its archives: /tmp/librocksdbjni118572945311.so.
#ifndef HP_CALC_TEMPORARY_PATHS_H
#define HP_CALC_TEMPORARY_PATHS_H

#include "base/span.h"
#include "base/vec.h"

// Memory for the result of hp_temporary_path().  {0} is empty; the user frees `bytes`.
struct hp_temporary_text {
    HP_VEC(char) bytes;
};

// Replace the random parts of a path by '*', so that the copies of several runs have one
// name.  Random parts are 6 or more digits in a row, words of 6 or more hexadecimal
// digits, and UUIDs.  Below the folders for temporary files they may be anywhere in the
// path; in other deleted files only in the file name.  Returns the pattern, in `text`
// until the next call, or `path` itself if nothing was replaced or too little of the name
// is left.
struct hp_span hp_temporary_path(struct hp_span path, bool is_deleted,
                                 struct hp_temporary_text *text);

#endif
