/** The kinds of recipients by their category: the name in parameters and in columns of templates. */
export const recipientKinds = ['To', 'Cc', 'Bcc', 'ReplyTo'] as const;

/** The kind of a recipient. */
export type RecipientKind = (typeof recipientKinds)[number];

/** What a message is. `Email` is also one without a type that has recipients. */
export const messageKinds = ['Email', 'Text', 'Note'] as const;

/** The type of a message that has recipients. */
export type MessageKind = (typeof messageKinds)[number];

/** A recipient of a message before it is stored. */
export interface Recipient {
  readonly kind: RecipientKind;
  /** The email address or telephone number; of a note, the user's name. */
  readonly address: string;
  readonly name: string | null;
  readonly contactId: number | null;
  readonly personId: number | null;
  /** The language that the recipient speaks, if it is known. */
  readonly language: string | null;
  /** Where it comes from: the parameter or the column of the template. */
  readonly source: string;
}

/** Someone who should get the message but has no address. */
export interface MissingAddress {
  readonly source: string;
  /** Who it is, for the warning. */
  readonly who: string;
}

/** What a source of recipients returns. */
export interface FoundRecipients {
  readonly recipients: readonly Recipient[];
  readonly missing: readonly MissingAddress[];
}

/** Returns the category of a kind as it is stored. */
export function categoryOf(kind: RecipientKind): 0 | 1 | 2 | 3 {
  return recipientKinds.indexOf(kind) as 0 | 1 | 2 | 3;
}

/**
 * Returns each recipient once: of those with one address, the first of the most visible kind. Those who get the replies
 * are apart.
 */
export function distinctRecipients(all: readonly Recipient[]): readonly Recipient[] {
  const known = new Set<string>();
  return recipientKinds.flatMap((kind) =>
    all.filter((recipient) => {
      if (recipient.kind !== kind) return false;
      const key = `${kind === 'ReplyTo' ? 'reply ' : ''}${recipient.address.toLowerCase()}`;
      return !known.has(key) && known.add(key);
    }),
  );
}
