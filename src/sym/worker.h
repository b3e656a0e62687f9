// The child's main loop: answer one request after another until the parent hangs up.
#ifndef HP_SYM_WORKER_H
#define HP_SYM_WORKER_H

// Serve requests on the socket.  Returns when the parent is gone or sends a malformed
// message.  Ends the process when memory runs out.
void hp_worker_serve(int sock);

#endif
