import { PlatformError } from '../../kernel/door/errors.ts';
import { replyDetail } from '../../lib/sending/reply-detail.ts';

/** The server cannot be reached, or does not respond as it should; a later attempt may succeed. */
export function unavailable(reason: string, cause?: unknown): PlatformError {
  return new PlatformError('UNAVAILABLE', {
    message: `The mailbox cannot be read: ${replyDetail(reason)}`,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The server refuses the sign-in; a person must act. */
export function signInRefused(reason: string, cause?: unknown): PlatformError {
  return new PlatformError('STATE_REFUSES', {
    field: 'Password',
    message:
      `Password: the mail server refuses the sign-in (${replyDetail(reason)}). ` +
      'Correct the user name or the password.',
    ...(cause === undefined ? {} : { cause }),
  });
}

/** A folder does not exist or cannot be used. */
export function folderRefused(field: 'Folder' | 'ReceivedFolder', folder: string, reason: string): PlatformError {
  return new PlatformError('STATE_REFUSES', {
    field,
    message: `${field}: the mailbox's folder "${folder}" ${replyDetail(reason)}.`,
  });
}

/** A mail is no longer where it was. */
export function mailGone(): PlatformError {
  return new PlatformError('NOT_FOUND', { message: 'The email is no longer in the mailbox.' });
}

/** Returns what an error says, for a person. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'failed';
}
