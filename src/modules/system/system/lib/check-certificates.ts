import type { Platform } from '../../../../kernel/ports/platform.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import type { Settings } from '../../../../kernel/declare/setting.ts';
import { readCertificateEnd, type CertificateServer } from '../../../../lib/certificates/read-certificate.ts';

/** Time limit of one server, and how many are read at once: together they take at most about two minutes. */
const SERVER_MILLISECONDS = 10_000;
const AT_ONCE = 16;

/** A server of the installation with what it is for, in words. */
export interface NamedServer extends CertificateServer {
  readonly purpose: string;
}

/** Returns the servers that the installation connects to. */
type ServersOf = (db: Db, settings: Settings) => Promise<readonly NamedServer[]>;

/** Housekeeping: reads until when the certificates of other servers are valid; returns how many it has read. */
export function checkCertificates(serversOf: ServersOf) {
  return {
    name: 'certificates of other servers',
    everyMinutes: 360,
    async run({ store, settings, clock }: Platform): Promise<number> {
      const servers = await serversOf(store, settings);
      const waiting = [...servers];
      const work = async (): Promise<void> => {
        for (let server = waiting.shift(); server; server = waiting.shift())
          await storeResult(store, server, clock.now(), await endOf(server));
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      await forgetOthers(store, servers);
      return servers.length;
    },
  } as const;
}

/** Returns when a server's certificate ends; null if it cannot be read. */
async function endOf(server: NamedServer): Promise<string | null> {
  try {
    return await readCertificateEnd(server, SERVER_MILLISECONDS);
  } catch {
    return null;
  }
}

async function storeResult(db: Db, server: NamedServer, now: string, expires: string | null): Promise<void> {
  await db.query(
    `insert into servercertificate (host, port, purpose, expires, checkeddate)
     values ($1::text, $2::integer, $3::text, $4::timestamptz, $5::timestamptz)
     on conflict (host, port) do update
     set purpose = excluded.purpose, expires = excluded.expires, checkeddate = excluded.checkeddate`,
    [server.host, server.port, server.purpose.slice(0, 255), expires, now],
  );
}

/** Deletes the results of servers that are not configured any more. */
async function forgetOthers(db: Db, servers: readonly NamedServer[]): Promise<void> {
  await db.query(
    `delete from servercertificate c
     where not exists (
       select from json_to_recordset($1::json) as s(host text, port integer)
       where s.host = c.host and s.port = c.port)`,
    [JSON.stringify(servers.map(({ host, port }) => ({ host, port })))],
  );
}
