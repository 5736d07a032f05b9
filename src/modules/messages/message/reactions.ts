import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { message } from './message.record.ts';

/** The columns of which a new message has at least one. */
const contents = ['Message', 'BodyText', 'BodyHTML', 'MessageTemplateID'] as const;

export const checks = [
  defineCheck({
    on: message,
    doc: 'A new message has a subject, a body or a template.',
    run: (_ctx, { values, id }) => {
      const isEmpty = contents.every((name) => String(values[name] ?? '').trim() === '');
      if (id === undefined && isEmpty)
        throw new PlatformError('MISSING_PARAMETER', {
          field: 'BodyText',
          message: 'BodyText is required: the text of the message. A subject (Message) alone is enough too.',
        });
    },
  }),
];
