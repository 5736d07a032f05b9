import { maskedStart } from '../../kernel/security/mask.ts';

/** Most characters kept of a server's reply. */
const DETAIL_LENGTH_MAX = 300;

/** Returns a server's reply on one line, cut, and without numbers that may be protected. */
export function replyDetail(text: string): string {
  return maskedStart(text.replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ').trim(), DETAIL_LENGTH_MAX);
}
