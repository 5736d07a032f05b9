import { randomUUID } from 'node:crypto';
import type { Platform } from '../../../../../kernel/ports/platform.ts';

/** Documents whose versions one run queues. */
const BATCH_DOCUMENTS = 100;

/**
 * Housekeeping: queues the sealing of the earlier versions of sealed documents that are not sealed yet: a sealed file
 * replaced the present one, or a call was interrupted. Returns how many documents have some.
 */
export const queueUnsealedVersions = {
  name: 'earlier versions of encrypted documents',
  everyMinutes: 10,
  async run({ store, configuration, identity, queue }: Platform): Promise<number> {
    const rows = await store.query<{ id: number; location: string }>(
      `select distinct attachmentid as id, a.fileobject as location
       from documentversion v join attachment a using (attachmentid)
       where v.sealdue and a.sealed and a.fileobject is not null
         and (v.scanstate is null or v.scanstate in ('Clean', 'Released'))
       order by attachmentid limit ${BATCH_DOCUMENTS}`,
    );
    const personId = await identity.builtinPersonId(configuration, 'System');
    const route = 'attachment/movefile';
    const waiting = await queue.find(store, { operation: route, state: 'created', start: 0, size: 1 });
    if (rows.length === 0 || personId === undefined || waiting.length > 0) return 0;
    const ofLocation = Map.groupBy(rows, ({ location }) => location);
    await queue.send(
      store,
      [...ofLocation].map(([location, documents]) => ({
        route,
        parameters: { ID: documents.map(({ id }) => id).join(','), FileObject: location, Sealed: 'true' },
        messageId: randomUUID(),
        personId,
        correlationId: 'housekeeping-sealed-versions',
        cause: [],
        label: 'Encrypt earlier versions',
        queueName: queue.queueOf(undefined),
        lowPriority: true as const,
      })),
    );
    return rows.length;
  },
} as const;
