import type { Values } from '../../../../kernel/declare/values.ts';
import type { message } from '../../message/message.record.ts';
import type { MessageKind, MissingAddress, Recipient } from '../recipients/recipient.ts';

/** A message before it is stored or sent. */
export interface MessageDraft {
  readonly kind: MessageKind;
  /** The columns of the message. */
  readonly values: Values<typeof message>;
  readonly recipients: readonly Recipient[];
  /** Recipients who have no address. */
  readonly missing: readonly MissingAddress[];
  readonly attachmentIds: readonly number[];
  /** Names of document types that are generated and attached. */
  readonly documentTypes: readonly string[];
  /** The mail server; null for the default. */
  readonly provider: string | null;
  /** Whether recipients may unsubscribe, and see no one else. */
  readonly isBulk: boolean;
}
