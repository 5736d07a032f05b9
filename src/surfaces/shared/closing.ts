import type { FastifyInstance } from 'fastify';

const signals = new WeakMap<object, AbortController>();

/** Makes {@link closingSignal} work for a server. */
export function watchClosing(app: FastifyInstance): void {
  const controller = new AbortController();
  signals.set(app.server, controller);
  app.addHook('preClose', (done) => {
    controller.abort();
    done();
  });
}

/** Returns the signal that a server begins to close; responses without an end must end then. */
export function closingSignal(app: FastifyInstance): AbortSignal {
  const controller = signals.get(app.server);
  if (!controller) throw new Error('the server is not watched');
  return controller.signal;
}
