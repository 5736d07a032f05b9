import { defineCallSource } from '../../../kernel/declare/call-source.ts';
import { messageTemplate } from './messagetemplate.record.ts';

export const callSources = [
  defineCallSource({
    on: messageTemplate,
    doc: 'The Method of a template is called for the values of its merge fields, by workflow steps as Workflow.',
    calls: (_ctx, { Method: method }) => {
      const text = (method ?? '').trim();
      // Without a module it is an operation of Message.
      const [head = ''] = text.split('?');
      return text === '' ? [] : [{ field: 'Method', signature: head.includes('/') ? text : `Message/${text}` }];
    },
  }),
];
