// Names of files that a process makes anew for each run, as Java does of the libraries in its archives:
// /tmp/librocksdbjni118572945311.so.
#ifndef HP_CALC_TEMPORARY_PATHS_H
#define HP_CALC_TEMPORARY_PATHS_H

#include "base/span.h"
#include "base/vec.h"

// The path with '*' in place of what is drawn at random: 6 digits and more in a row, words of 6 hexadecimal digits
// and more, and UUIDs.  Below the folders for temporary files this may be anywhere, of other deleted files in the
// name alone.  The path itself if it is no such path.  `text` holds the answer.
struct hp_temporary_text {
    HP_VEC(char) bytes;
};

struct hp_span hp_temporary_path(struct hp_span path, bool is_deleted,
                                 struct hp_temporary_text *text);

#endif
