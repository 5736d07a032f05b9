import type { Context } from '../../../../kernel/door/context.ts';
import type { XmlElement } from '../../../../kernel/xml/element.ts';
import { findEqualMessages } from '../../../messages/public/find-equal-messages.ts';
import { findByReference } from './find-by-reference.ts';
import { referenceOf, savedRecord } from './item-log.ts';
import { leafValues, templateId, type NestedTarget } from './nested-target.ts';

/**
 * Saves messages. One that the case already has is not added again: an own Reference identifies it; without one, its
 * template, subject and text do.
 */
export async function importMessages(
  ctx: Context,
  elements: readonly XmlElement[],
  target: NestedTarget,
): Promise<void> {
  const seen = new Set<string>();
  for (const element of elements) {
    const { Template: name = '', ...values } = leafValues(element);
    await saveMessage(ctx, element, target, { values, templateName: name, seen });
  }
}

/** A message to save. */
interface NewMessage {
  readonly values: Readonly<Record<string, string>>;
  /** Undefined: a message without a template. */
  readonly templateName: string | undefined;
  /** The messages that the item has had so far; this one is added. */
  readonly seen: Set<string>;
}

/** Saves one message, unless it is one that the record has already. */
export async function saveMessage(
  ctx: Context,
  element: XmlElement,
  { parent, isNewCase, log }: NestedTarget,
  { values, templateName, seen }: NewMessage,
): Promise<void> {
  const record = ctx.registry.recordType('Message');
  const reference = referenceOf(element);
  await log.saveNested(ctx, record, element, async () => {
    const template = templateName === undefined ? null : await templateId(ctx, 'MessageTemplate', templateName, parent);
    const contents = { message: values['Message'] ?? '', bodyText: values['BodyText'] ?? '' };
    const key = JSON.stringify([template, contents, reference]);
    const isRepeated = seen.has(key);
    seen.add(key);
    const equal =
      isNewCase && !isRepeated
        ? []
        : await findEqualMessages(ctx.db, {
            object: parent.record.name,
            objectId: parent.id,
            templateId: template,
            ...contents,
          });
    // The log of this item is not written yet.
    const same =
      reference === null || isRepeated ? equal[0] : await findByReference(ctx, record.name, equal, reference);
    if (same !== undefined) {
      log.unchanged(record.name, same, reference, reference === null ? NOT_ADDED : undefined);
      return undefined;
    }
    return savedRecord(
      await ctx.call(
        'message/save',
        {
          ...(template === null ? {} : { TemplateID: template }),
          Object: parent.record.name,
          ObjectID: parent.id,
        },
        values,
      ),
      undefined,
    );
  });
}

const NOT_ADDED =
  'The case already has this message, so it was not added again. If it is another one with the same text, ' +
  'give the item a Reference of its own.';
