import type { Platform } from '../../../../../kernel/ports/platform.ts';
import { queueAsSystem } from '../../../../../kernel/security/system-user.ts';

/** Documents whose versions one run queues. */
const BATCH_DOCUMENTS = 100;

/**
 * Housekeeping: queues the sealing of the earlier versions of sealed documents that are not sealed yet: a sealed file
 * replaced the present one, or a call was interrupted. Returns how many documents have some.
 */
export const queueUnsealedVersions = {
  name: 'earlier versions of encrypted documents',
  everyMinutes: 10,
  async run(platform: Platform): Promise<number> {
    const { store, queue } = platform;
    const rows = await store.query<{ id: number; location: string }>(
      `select distinct attachmentid as id, a.fileobject as location
       from documentversion v join attachment a using (attachmentid)
       where v.sealdue and a.sealed and a.fileobject is not null
         and (v.scanstate is null or v.scanstate in ('Clean', 'Released'))
       order by attachmentid limit ${BATCH_DOCUMENTS}`,
    );
    const route = 'attachment/movefile';
    const { length: waiting } = await queue.find(store, { operation: route, state: 'created', start: 0, size: 1 });
    if (rows.length === 0 || waiting > 0) return 0;
    const ofLocation = Map.groupBy(rows, ({ location }) => location);
    await queueAsSystem(
      platform,
      [...ofLocation].map(([location, documents]) => ({
        route,
        parameters: { ID: documents.map(({ id }) => id).join(','), FileObject: location, Sealed: 'true' },
        label: 'Encrypt earlier versions',
        lowPriority: true as const,
      })),
    );
    return rows.length;
  },
} as const;
