import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import ssh2 from 'ssh2';
import { loggableMessage } from '../../kernel/database/database-error.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import type { SftpAccounts } from '../../contracts/sftp-accounts.ts';
import { algorithms, offeredHostKeys } from './algorithms.ts';
import { Connection, type ConnectionContext } from './connection.ts';
import { FileRows } from './file-rows.ts';
import { Importer } from './importer.ts';

/** Most connections without sign-in, in total and per address. */
const UNSIGNED_MAX = 100;
const UNSIGNED_PER_ADDRESS_MAX = 20;
/** Name in the protocol banner, without a version, which would help only attackers. */
const IDENT = 'Casewright';

/** Options of the sFTP server. */
export interface SftpOptions {
  readonly host: string;
  readonly port: number;
  /** Private host keys in PEM. */
  readonly hostKeys: readonly string[];
  /** The folder of all home directories; servers on one database share it. */
  readonly folder: string;
  readonly platform: Platform;
  readonly accounts: SftpAccounts;
}

/** A running sFTP server. */
export interface RunningSftpServer {
  readonly host: string;
  readonly port: number;
  /** Imports what is due now and waits until done. It also happens periodically. */
  importDue(): Promise<void>;
  /** Accepts no more connections, ends open ones, and finishes running imports. */
  stop(): Promise<void>;
}

/** Serves the homes of sFTP accounts and imports complete files. */
export async function startSftpServer({
  host,
  port,
  hostKeys,
  folder,
  platform,
  accounts,
}: SftpOptions): Promise<RunningSftpServer> {
  const importer = new Importer({ platform, accounts, folder });
  const places = new SessionSlots(accounts);
  const shared: ConnectionContext = {
    platform,
    accounts,
    folder,
    rows: new FileRows(platform.store, platform.clock),
    reserveSession: (id) => places.reserve(id),
    releaseSession: (id) => places.release(id),
  };
  const connections = new Map<Socket, Connection>();
  const byPeer = new Map<string, Connection>();
  const ssh = new ssh2.Server(
    { hostKeys: offeredHostKeys(hostKeys).map((key) => ({ key })), algorithms, ident: IDENT },
    (client, info) => byPeer.get(`${info.ip} ${info.port}`)?.serve(client),
  );
  const listener = createServer(
    { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000, pauseOnConnect: true },
    (socket) => {
      socket.on('error', () => socket.destroy());
      const unsigned = [...connections.values()].filter((each) => !each.isSignedIn);
      if (
        unsigned.length >= UNSIGNED_MAX ||
        unsigned.filter((each) => each.address === socket.remoteAddress).length >= UNSIGNED_PER_ADDRESS_MAX
      )
        return void socket.destroy();
      const connection = new Connection(socket, shared);
      const peer = `${socket.remoteAddress ?? ''} ${socket.remotePort ?? 0}`;
      connections.set(socket, connection);
      byPeer.set(peer, connection);
      socket.once('close', () => {
        connections.delete(socket);
        byPeer.delete(peer);
      });
      accounts.acceptsAddress(connection.address).then(
        (isExpected) => (isExpected && !socket.destroyed ? ssh.injectSocket(socket) : socket.destroy()),
        (error: unknown) => {
          platform.log.error('sftp connection refused', { error: loggableMessage(error) });
          socket.destroy();
        },
      );
    },
  );
  const bound = await listen(listener, host, port);
  importer.start();
  return {
    host,
    port: bound,
    importDue: () => importer.run(),
    async stop() {
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
      for (const connection of connections.values()) connection.end();
      await closed;
      await importer.stop();
    },
  };
}

function listen(listener: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(port, host, () => {
      listener.off('error', reject);
      resolve((listener.address() as AddressInfo).port);
    });
  });
}

/** Counts signed-in connections, in total and per account. */
class SessionSlots {
  private readonly accounts: SftpAccounts;
  private readonly byAccount = new Map<number, number>();
  private total = 0;

  constructor(accounts: SftpAccounts) {
    this.accounts = accounts;
  }

  reserve(accountId: number): boolean {
    const { sessionsMax, sessionsPerAccountMax } = this.accounts.limits();
    const own = this.byAccount.get(accountId) ?? 0;
    if (this.total >= sessionsMax || own >= sessionsPerAccountMax) return false;
    this.byAccount.set(accountId, own + 1);
    this.total++;
    return true;
  }

  release(accountId: number): void {
    const own = (this.byAccount.get(accountId) ?? 1) - 1;
    if (own > 0) this.byAccount.set(accountId, own);
    else this.byAccount.delete(accountId);
    this.total--;
  }
}
