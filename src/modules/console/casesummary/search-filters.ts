import type { Column, RecordType } from '../../../kernel/declare/record.ts';
import { defineSearchFilters } from '../../../kernel/declare/search-filter.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { parameter } from '../../../kernel/parameters/parameters.ts';
import { valueText } from '../../../kernel/parameters/value-text.ts';
import { filterCondition } from '../../../kernel/records/search/filter.ts';
import { caseSummary } from './casesummary.record.ts';

/** Longest beginning of a text that is searched. */
const CHARACTERS_MAX = 200;

/** The texts of a case by which people look for it; each has an index of its folded beginning. */
const caseColumns = ['CaseSummary', 'Borrower', 'Address', 'LoanNumber'];

export const searchFilters = defineSearchFilters([
  {
    name: 'StartsWith',
    doc:
      'Records whose label starts with a text, whatever its case and accents; for case lists also those whose ' +
      'borrower, property or loan number does. A * stands for any characters.',
    condition(_ctx, record, { name, filters }, filterContext) {
      const text = valueText(parameter(filters, name)).trim();
      if (text === '' || text.length > CHARACTERS_MAX)
        throw bad(name, `a text of at most ${CHARACTERS_MAX} characters`);
      // A quote, a comparison sign or "not" at the beginning would mean something else in a filter.
      const pattern = `${text.replace(/^["<>=!]+/, '')}*`;
      const found = textColumns(record).map((column) =>
        filterCondition(
          column,
          pattern.replace(/^not\s/i, (word) => `*${word}`),
          name,
          filterContext,
        ),
      );
      return `(${found.join(' or ')})`;
    },
  },
]);

function textColumns(record: RecordType): readonly Column[] {
  const names = record.name === caseSummary.name ? caseColumns : [record.name];
  return names.flatMap((name) => record.columns.get(name.toLowerCase()) ?? []);
}
