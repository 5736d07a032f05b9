import type { Row } from '../../../../kernel/door/answer.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { messageTemplate } from '../../messagetemplate/messagetemplate.record.ts';
import type { MergeData } from '../../../../lib/merge/merge-data.ts';
import { badExpression } from '../../../../lib/merge/merge-error.ts';
import { isName, mergeFields } from '../../../../lib/merge/merge-fields.ts';
import { mergeFieldTexts } from '../../../../lib/merge/merge-template.ts';
import { splitAddresses, type WrittenAddress } from './address-list.ts';
import { collectionRecipients, contactRecipients } from './contact-recipients.ts';
import { methodRecipients } from './method-recipients.ts';
import { checkedAddress, nameBeside } from './recipient-address.ts';
import { recipientKinds, type FoundRecipients, type MessageKind, type RecipientKind } from './recipient.ts';

/** The columns of a template that name recipients. */
export type RecipientColumns = Pick<
  Row<typeof messageTemplate>,
  `${'To' | 'Cc' | 'Bcc'}${'ContactID' | 'CollectionID' | 'Address' | 'Method'}` | `ReplyTo${'Address' | 'Method'}`
>;

/** What a template is used for. */
interface TemplateUse {
  readonly message: MessageKind;
  /** Whether the caller names its recipients, because it is not stored. */
  readonly isDraft: boolean;
}

/** Returns the default recipients of a template's messages. Needs a transaction. */
export async function templateRecipients(
  ctx: Context,
  template: RecipientColumns,
  data: MergeData,
  { message, isDraft }: TemplateUse,
): Promise<readonly FoundRecipients[]> {
  const found: FoundRecipients[] = [];
  for (const kind of recipientKinds) {
    const configured = kind === 'ReplyTo' ? NO_RECORDS : recordsOf(template, kind);
    // Whom stored configuration names is written to by whoever sends the message: their own reach does not decide it.
    const { db } = isDraft ? ctx : ctx.configuration;
    if (configured.contactId !== null)
      found.push(
        await contactRecipients(ctx, db, [configured.contactId], { kind, message, source: `${kind}ContactID` }),
      );
    if (configured.collectionId !== null)
      found.push(
        await collectionRecipients(ctx, db, configured.collectionId, { kind, message, source: `${kind}CollectionID` }),
      );
    const addresses = template[`${kind}Address`] ?? '';
    if (addresses !== '') found.push(await mergedAddresses(ctx, addresses, data, { kind, message }));
    const method = template[`${kind}Method`] ?? '';
    if (method.trim() !== '')
      found.push(
        await methodRecipients(ctx, method, (expression) => data.value(expression), {
          kind,
          message,
          source: `${kind}Method`,
        }),
      );
  }
  return found;
}

const NO_RECORDS = { contactId: null, collectionId: null } as const;

function recordsOf(
  template: RecipientColumns,
  kind: Exclude<RecipientKind, 'ReplyTo'>,
): { readonly contactId: number | null; readonly collectionId: number | null } {
  return { contactId: template[`${kind}ContactID`], collectionId: template[`${kind}CollectionID`] };
}

/**
 * Returns the addresses of a list with expressions filled in. The list is split first, so that a value is one address
 * at most, whatever it contains. An address that consists of an XPath alone is every one that the XPath finds.
 */
async function mergedAddresses(
  ctx: Context,
  text: string,
  data: MergeData,
  { kind, message }: { readonly kind: RecipientKind; readonly message: MessageKind },
): Promise<FoundRecipients> {
  const source = `${kind}Address`;
  const written: WrittenAddress[] = [];
  for (const { address, name } of splitAddresses(text, source)) {
    const path = wholeXPath(address);
    if (path !== undefined)
      written.push(...(await allOf(data, path, source)).map((each) => ({ address: each, name: null })));
    else {
      const merged = await mergeFieldTexts(ctx, [[source, address] as const, ['Name', name ?? ''] as const], data);
      written.push({ address: merged.get(source) ?? '', name: nameBeside(merged.get('Name')) });
    }
  }
  const filled = written.filter(({ address }) => address.trim() !== '');
  return {
    recipients: filled.map(({ address, name }) => ({
      kind,
      source,
      address: checkedAddress(address, message, source),
      name,
      contactId: null,
      personId: null,
      language: null,
    })),
    missing: filled.length < written.length || written.length === 0 ? [{ source, who: text.slice(0, 100) }] : [],
  };
}

async function allOf(data: MergeData, path: string, field: string): Promise<readonly string[]> {
  try {
    return await data.findAll(path);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'BAD_XPATH') throw error;
    throw badExpression(field, path, error.message);
  }
}

/** Returns the XPath that an address consists of; undefined for an address, or a name in braces. */
function wholeXPath(address: string): string | undefined {
  const text = address.trim();
  const [only] = mergeFields(text);
  if (only?.start !== 0 || only.end !== text.length || isName(only.expression)) return undefined;
  return only.expression;
}
