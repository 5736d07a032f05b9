import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { atEnd } from './at-end.ts';
import type { CleanUp, TestDatabase } from './database.ts';

/** A way to a database that can lose the answer of a commit, as a broken network does. */
export interface LossyDatabase {
  readonly database: TestDatabase;
  /** Cuts the connection of the next transaction with this text, after the database has committed it. */
  loseCommitOf(text: string): void;
}

export async function lossyDatabase(cleanUp: CleanUp, database: TestDatabase): Promise<LossyDatabase> {
  const { host, port } = database;
  const sockets = new Set<Socket>();
  let text: string | undefined;
  const server = createServer((client) => {
    const upstream = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    let isNamed = false;
    let isCut = false;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.on('data', (bytes) => {
      isNamed ||= text !== undefined && bytes.includes(text);
      if (isNamed && bytes.includes('commit\0')) {
        isCut = true;
        text = undefined;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (!isCut) client.write(bytes);
      else if (bytes.includes('COMMIT\0')) end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  atEnd(cleanUp, async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => void server.close(resolve));
  });
  return {
    database: { ...database, host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    loseCommitOf: (named) => void (text = named),
  };
}
