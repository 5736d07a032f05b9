import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SendingOutcome, SendOptions } from '../../../contracts/sending.ts';
import { assertText, type OutboundText, type TextOutbound } from '../../../contracts/text-outbound.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';

/**
 * Stores text messages as files in a folder instead of sending them, while no service is configured. A message has one
 * file, however often it is sent.
 */
export class FolderTextOutbound implements TextOutbound {
  private readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  async send(message: OutboundText, { beforeData }: SendOptions = {}): Promise<SendingOutcome> {
    assertText(message);
    const { key, to, text } = message;
    const name = `text-${createHash('sha256').update(key).digest('hex').slice(0, 24)}.txt`;
    await this.check();
    await beforeData?.();
    try {
      await writeFile(join(this.folder, name), `To: ${to}\nID: ${key}\n\n${text}\n`, {
        mode: 0o600,
        flag: 'wx',
        flush: true,
      });
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      if (code !== 'EEXIST')
        return { status: 'later', detail: `the folder of text messages could not be written: ${code}` };
    }
    return { status: 'accepted', detail: null };
  }

  async check(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
      throw new PlatformError('UNAVAILABLE', {
        message: 'The folder of text messages cannot be written.',
        cause: error,
      });
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
