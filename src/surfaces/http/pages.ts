import type { Page } from './server.ts';

/** Whether the process can serve: it reaches its database. Anybody may ask. */
const healthcheck: Page = async (platform, _request, reply) => {
  try {
    await platform.store.query('select 1');
    void reply.code(200).header('Cache-Control', 'no-store').send({ status: 'healthy' });
  } catch {
    void reply.code(503).header('Cache-Control', 'no-store').send({ status: 'database unavailable' });
  }
};

/** Paths beside operations. */
export const pages: Readonly<Record<string, Page>> = {
  '/api/healthcheck': healthcheck,
};
