import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { assertPreference } from './lib/own-preference.ts';
import { preference } from './preference.record.ts';

export const checks = [
  defineCheck({
    on: preference,
    doc: 'The time zone and the muted notifications exist.',
    run: (_ctx, { values }) => assertPreference(values),
  }),
];
