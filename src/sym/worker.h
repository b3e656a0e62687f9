// What the child does: answer for one module after another until the parent hangs up.
#ifndef HP_SYM_WORKER_H
#define HP_SYM_WORKER_H

// Serve the socket.  Returns when the other end is gone or speaks nonsense.
void hp_worker_serve(int sock);

#endif
