import { defineCallSource } from '../../../kernel/declare/call-source.ts';
import { eventCode } from './eventcode.record.ts';

export const callSources = [
  defineCallSource({
    on: eventCode,
    doc: 'An event sets the status of its case.',
    calls: (_ctx, { CaseStatus: status }) =>
      (status ?? '') === ''
        ? []
        : [{ field: 'CaseStatus', signature: `process/save?Status=${encodeURIComponent(status ?? '')}` }],
  }),
];
