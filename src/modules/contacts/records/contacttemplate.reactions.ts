import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { contactTemplate } from './contacttemplate.record.ts';

/** Longest value of a list: the length of the contact's column. */
const VALUE_CHARACTERS_MAX = 100;

export const checks = [
  defineCheck({
    on: contactTemplate,
    doc: "The values of the lists are valid for a contact's status and type.",
    run(_ctx, { values }) {
      for (const field of ['CustomStatusList', 'CustomTypeList'] as const) {
        const list = values[field];
        if (typeof list !== 'string') continue;
        if (list.split(',').some((value) => Array.from(value.trim()).length > VALUE_CHARACTERS_MAX))
          throw bad(field, `values with commas between them, each of at most ${VALUE_CHARACTERS_MAX} characters`);
      }
    },
  }),
];
