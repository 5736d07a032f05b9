import { readFileSync } from 'node:fs';
import ssh2, { type ClientChannel, type SFTPWrapper } from 'ssh2';
import type { Peer } from './openssh.ts';

/** A client that sends single protocol requests, including some that no sensible client would send. */
export interface RawSftp {
  readonly client: ssh2.Client;
  open(path: string, flags?: 'r' | 'w'): Promise<Buffer>;
  close(handle: Buffer): Promise<void>;
  /** Opens, writes and closes. */
  write(path: string, text: string): Promise<void>;
  writeAt(path: string, offset: number, text: string): Promise<void>;
  mkdir(path: string): Promise<void>;
  rmdir(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  symlink(target: string, path: string): Promise<void>;
  /** Requests the same bytes repeatedly, and reads no answer. */
  flood(handle: Buffer, times: number): void;
  end(): void;
  /** Resolves when the connection is gone. */
  readonly ended: Promise<void>;
}

/** Connects and opens the sFTP subsystem. */
export async function connectRaw({ port, user, key, password }: Peer): Promise<RawSftp> {
  const client = new ssh2.Client();
  const gone = new Promise<void>((resolve) => client.once('close', () => resolve()));
  const sftp = await new Promise<SFTPWrapper>((resolve, reject) => {
    client.on('error', reject);
    client.once('close', () => reject(new Error('the connection was closed')));
    client.once('ready', () => client.sftp((error, made) => (error ? reject(error) : resolve(made))));
    client.connect({
      host: '127.0.0.1',
      port,
      username: user,
      ...(key === undefined ? {} : { privateKey: readFileSync(key) }),
      ...(password === undefined ? {} : { password }),
    });
  });
  const done = (run: (end: (error?: Error | null) => void) => void): Promise<void> =>
    new Promise((resolve, reject) => run((error) => (error ? reject(error) : resolve())));
  const open = (path: string, flags: 'r' | 'w' = 'r'): Promise<Buffer> =>
    new Promise((resolve, reject) =>
      sftp.open(path, flags, (error, handle) => (error ? reject(error) : resolve(handle))),
    );
  const close = (handle: Buffer): Promise<void> => done((end) => sftp.close(handle, end));
  const writeAt = async (path: string, offset: number, text: string): Promise<void> => {
    const handle = await open(path, 'w');
    try {
      await done((end) => sftp.write(handle, Buffer.from(text), 0, Buffer.byteLength(text), offset, end));
    } catch (error) {
      await close(handle).catch(() => undefined);
      throw error;
    }
    await close(handle);
  };
  return {
    client,
    open,
    close,
    writeAt,
    ended: gone,
    write: (path, text) => writeAt(path, 0, text),
    mkdir: (path) => done((end) => sftp.mkdir(path, end)),
    rmdir: (path) => done((end) => sftp.rmdir(path, end)),
    rename: (from, to) => done((end) => sftp.rename(from, to, end)),
    symlink: (target, path) => done((end) => sftp.symlink(target, path, end)),
    flood(handle, times) {
      // Without growing windows, answers pile up on the other side.
      (sftp as unknown as { incoming: { window: number } }).incoming.window = 0;
      const buffer = Buffer.alloc(65_536);
      for (let i = 0; i < times; i++) sftp.read(handle, buffer, 0, buffer.length, 0, () => undefined);
    },
    end: () => void client.end(),
  };
}

/** Opens a channel for a command, or fails with the server's refusal. */
export function execute(client: ssh2.Client, command: string): Promise<ClientChannel> {
  return new Promise((resolve, reject) =>
    client.exec(command, (error, channel) => (error ? reject(error) : resolve(channel))),
  );
}
