import type { RunningServer } from '../../src/app/server.ts';
import type { RunningSftpServer } from '../../src/surfaces/sftp/server.ts';
import { answerParent, type CpuUsage } from './child.ts';

/** Start parameters of the sFTP server. */
export interface SftpProductStart {
  readonly databaseUrl: string;
  readonly dataFolder: string;
  readonly administratorKey: string;
  /** The account's public key. */
  readonly publicKey: string;
}

/** The requests that the product's process handles. */
export type SftpProductHandlers = typeof handlers;

let running: RunningServer | undefined;
let sftp: RunningSftpServer | undefined;

/**
 * The product with an account named `bench`. Imported here, because the parent may have hidden part of a library first.
 */
async function start({
  databaseUrl,
  dataFolder,
  administratorKey,
  publicKey,
}: SftpProductStart): Promise<{ port: number; native: boolean }> {
  const [{ startServer }, { serveSftp, sftpFolder }, { newHostKey }, { isNative }] = await Promise.all([
    import('../../src/app/server.ts'),
    import('../../src/app/sftp.ts'),
    import('../../src/app/sftp-host-keys.ts'),
    import('../../src/surfaces/sftp/algorithms.ts'),
  ]);
  running = await startServer(
    {
      port: 0,
      host: '127.0.0.1',
      dataFolder,
      databaseUrl,
      secretKey: undefined,
      administratorKey,
      roles: new Set(['web']),
      demo: false,
      logLevel: 'warn',
      logTo: 'stderr',
      trustedProxies: [],
      metrics: undefined,
      sftp: undefined,
    },
    () => undefined,
  );
  sftp = await serveSftp(running.platform, {
    host: '127.0.0.1',
    port: 0,
    folder: sftpFolder(dataFolder),
    hostKeys: { keys: [newHostKey()], fingerprints: [] },
  });
  const [person] = await running.platform.store.query<{ id: number }>(
    "select personid as id from person where person = 'administrator'",
  );
  const answer = await fetch(`${running.url ?? ''}/api/sftpaccount/save`, {
    method: 'POST',
    headers: { 'X-ApiKey': administratorKey },
    body: new URLSearchParams({
      SftpAccount: 'bench',
      PersonID: String(person?.id),
      PublicKeys: publicKey,
      AllowedNetworks: '127.0.0.0/8',
    }),
  });
  if (answer.status !== 200) throw new Error(await answer.text());
  return { port: sftp.port, native: isNative() };
}

const handlers = { start, cpu: (_: undefined): CpuUsage => process.cpuUsage() };

answerParent(handlers, async () => {
  await sftp?.stop();
  await running?.stop();
});
