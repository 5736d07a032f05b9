import { parentPort } from 'node:worker_threads';
import { MailParseError, type MailLimits, type MailParseReason, type ParsedMail } from './parsed-mail.ts';
import { readMail } from './read-mail.ts';

/** Mails to parse. */
export interface ParseTask {
  readonly sources: readonly Uint8Array[];
  readonly limits: Required<MailLimits>;
}

/** What a thread answers for each mail. */
export type ParseAnswer =
  | { readonly mail: ParsedMail }
  | { readonly reason: MailParseReason; readonly message: string };

async function answer(source: Uint8Array, limits: Required<MailLimits>): Promise<ParseAnswer> {
  try {
    return { mail: await readMail(source, limits) };
  } catch (error) {
    const message = error instanceof Error ? error.message.slice(0, 300) : 'unknown';
    return error instanceof MailParseError
      ? { reason: error.reason, message }
      : { reason: 'Unreadable', message: `The mail cannot be read: ${message}.` };
  }
}

/** Each attachment gets memory of its own, so that it can be handed over instead of copied. */
function handOver(reply: ParseAnswer): { readonly reply: ParseAnswer; readonly memory: readonly ArrayBuffer[] } {
  if (!('mail' in reply)) return { reply, memory: [] };
  const attachments = reply.mail.attachments.map((file) => ({ ...file, bytes: new Uint8Array(file.bytes) }));
  return {
    reply: { mail: { ...reply.mail, attachments } },
    memory: attachments.map(({ bytes }) => bytes.buffer),
  };
}

async function answerAll({ sources, limits }: ParseTask): Promise<void> {
  const replies: ParseAnswer[] = [];
  const handedOver: ArrayBuffer[] = [];
  for (const source of sources) {
    const { reply, memory } = handOver(await answer(source, limits));
    replies.push(reply);
    handedOver.push(...memory);
  }
  parentPort?.postMessage(replies, handedOver);
}

parentPort?.on('message', (task: ParseTask) => void answerAll(task));
