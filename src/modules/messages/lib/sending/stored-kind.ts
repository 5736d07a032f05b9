import { messageKinds, type MessageKind } from '../recipients/recipient.ts';

/** Returns what a stored message is by its type: an email, unless the type says otherwise. */
export function kindOfStored(type: string | null): MessageKind {
  return messageKinds.find((kind) => kind.toLowerCase() === type?.toLowerCase()) ?? 'Email';
}
