import type { MailHead } from '../../../../contracts/mail-inbound.ts';
import { plainSubject } from '../filing/subject-text.ts';
import { SMALL_BYTES_MAX } from './small-mails.ts';
import type { MailContent } from './taken-mail.ts';

/** Most mails that are fetched, read and stored together, and their most bytes. */
const GROUP_MAILS_MAX = 50;
const GROUP_BYTES_MAX = 4 * 1024 * 1024;

/** Divides mails, in their order, into those that are taken together: small ones in groups, a large one by itself. */
export function partsOf(heads: readonly MailHead[], isGrouping: boolean): readonly (readonly MailHead[])[] {
  const parts: MailHead[][] = [];
  let bytes = Infinity;
  for (const head of heads) {
    const isSmall = isGrouping && head.size <= SMALL_BYTES_MAX;
    const [first] = parts.at(-1) ?? [];
    const fits = first && isOfFolder(head, first) && (parts.at(-1)?.length ?? 0) < GROUP_MAILS_MAX;
    if (isSmall && fits && bytes + head.size <= GROUP_BYTES_MAX) {
      parts.at(-1)?.push(head);
      bytes += head.size;
    } else {
      parts.push([head]);
      bytes = isSmall ? head.size : Infinity;
    }
  }
  return parts;
}

function isOfFolder(one: MailHead, other: MailHead): boolean {
  return one.folder === other.folder && one.uidValidity === other.uidValidity;
}

/** A mail that was read, or not. */
export interface OrderedMail {
  readonly content: MailContent | undefined;
}

/**
 * Whether where mails are filed may depend on earlier ones: by an ID, or, where rules look at subjects, by a subject
 * that appears in that of another.
 */
export function mayShareConversation(
  mails: readonly OrderedMail[],
  earlier: readonly OrderedMail[],
  isBySubject: boolean,
): boolean {
  const known = new Set(earlier.flatMap(idsOf));
  if (mails.some((mail) => idsOf(mail).some((id) => known.has(id)))) return true;
  if (!isBySubject) return false;
  const subjects = subjectsOf(earlier);
  return subjectsOf(mails).some((one) => subjects.some((other) => one.includes(other) || other.includes(one)));
}

function subjectsOf(mails: readonly OrderedMail[]): readonly string[] {
  return mails.flatMap(({ content }) => (content ? [plainSubject(content.mail.subject)] : []));
}

/** Returns the Message-IDs of a mail and of those that it refers to. */
function idsOf({ content }: OrderedMail): readonly string[] {
  if (!content) return [];
  const { messageId, inReplyTo, references } = content.mail;
  return [messageId, inReplyTo, ...references].filter((id) => id !== null);
}

/**
 * Divides mails, in their order, into runs that can be stored together: none shares a conversation with another of its
 * run. A mail for which `isAlone` holds is a run of its own.
 */
export function runsOf<M extends OrderedMail>(
  mails: readonly M[],
  isAlone: (mail: M) => boolean,
): readonly (readonly M[])[] {
  const runs: M[][] = [];
  let ids = new Set<string>();
  let isOpen = false;
  for (const mail of mails) {
    const own = idsOf(mail);
    const alone = isAlone(mail);
    if (isOpen && !alone && !own.some((id) => ids.has(id))) runs.at(-1)?.push(mail);
    else {
      runs.push([mail]);
      ids = new Set();
    }
    isOpen = !alone;
    for (const id of own) ids.add(id);
  }
  return runs;
}
