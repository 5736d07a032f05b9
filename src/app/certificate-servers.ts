import type { Db } from '../kernel/database/store.ts';
import { guardedLookup, outboundRules, type OutboundRules } from '../kernel/security/outbound.ts';
import type { Settings } from '../kernel/declare/setting.ts';
import type { NamedServer } from '../modules/system/system/lib/check-certificates.ts';

/** Most servers whose certificates are read. */
const SERVERS_MAX = 200;

const HTTPS_PORT = 443;
const POSTGRESQL_PORT = 5432;
/** Ports of mail servers with TLS from the first byte, and with STARTTLS. */
const SMTPS_PORT = 465;
const SUBMISSION_PORT = 587;

/** A configured address, as the query finds it. */
interface ServerRow {
  readonly purpose: string;
  readonly url: string | null;
  readonly host: string | null;
  readonly port: number | null;
  readonly security: string | null;
}

/** Returns the servers to which connections are encrypted: database, webhooks, storage locations, mail servers. */
export async function certificateServers(db: Db, settings: Settings): Promise<readonly NamedServer[]> {
  const rows = await db.query<ServerRow>(
    `select 'database' as purpose, null as url, host(inet_server_addr()) as host, inet_server_port() as port,
       'PostgreSQL' as security
     from pg_stat_ssl
     where pid = pg_backend_pid() and ssl
     union all
     select 'webhook ' || coalesce(webhook, ''), url, null, null, null from webhook where isactive
     union all
     select 'storage ' || coalesce(fileobject, ''), endpoint, null, null, null
     from fileobject where endpoint is not null and coalesce(status, 'Active') = 'Active'
     union all
     select 'mail server ' || coalesce(mailoutbound, ''), null, host, port, coalesce(security, 'STARTTLS')
     from mailoutbound where host is not null and coalesce(status, 'Active') = 'Active'
     limit ${SERVERS_MAX}`,
  );
  const rules = outboundRules(settings);
  const byAddress = new Map<string, NamedServer>();
  for (const row of rows) {
    const server = serverOf(row, rules);
    if (server && !byAddress.has(`${server.host}:${server.port}`))
      byAddress.set(`${server.host}:${server.port}`, server);
  }
  return [...byAddress.values()];
}

/** Returns a server; undefined without an encrypted address, or with one that may not be connected to. */
function serverOf(row: ServerRow, rules: OutboundRules): NamedServer | undefined {
  const { purpose, host, port, security } = row;
  if (security === 'PostgreSQL')
    return host === null ? undefined : { purpose, host, port: port ?? POSTGRESQL_PORT, start: security };
  const address = addressOf(row);
  if (address?.protocol !== 'https:') return undefined;
  try {
    return {
      purpose,
      host: address.hostname.replace(/^\[|\]$/g, ''),
      port: address.port === '' ? HTTPS_PORT : Number(address.port),
      start: security !== null && !isTls(row) ? 'SMTP' : 'TLS',
      lookup: guardedLookup(rules, address),
    };
  } catch {
    // The address may not be connected to. Whoever uses the server learns of it there.
    return undefined;
  }
}

/** Returns the address of a server as a URL, for the connection rules. */
function addressOf(row: ServerRow): URL | undefined {
  const { url, host, port, security } = row;
  if (url === null && (host === null || security === 'None')) return undefined;
  const name = host?.includes(':') === true ? `[${host}]` : (host ?? '');
  const text = url ?? `https://${name}:${port ?? (isTls(row) ? SMTPS_PORT : SUBMISSION_PORT)}`;
  return URL.canParse(text) ? new URL(text) : undefined;
}

function isTls({ security }: ServerRow): boolean {
  return security?.toUpperCase() === 'TLS';
}
