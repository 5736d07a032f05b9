import { arrayLiteral } from '../../../kernel/database/store.ts';
import { f } from '../../../kernel/declare/field.ts';
import { isA } from '../../../kernel/declare/registry.ts';
import { defineSearchFilters } from '../../../kernel/declare/search-filter.ts';
import { idOf } from '../../../kernel/database/sql.ts';
import { parameter } from '../../../kernel/parameters/parameters.ts';
import { parseValue } from '../../../kernel/parameters/parse-value.ts';
import { isOpenStep, isOpenWorkflow } from '../lib/open.ts';
import { decision } from './decision.record.ts';

const isSent = f.boolean({ doc: '' });

/** SQL: the failed steps of open workflows. There are few, and they have a partial index. */
const FAILED_STEPS = `decisionstep failed
  join decision owner on owner.decisionid = failed.decisionid
  where failed.status = 'Error' and ${isOpenStep('failed')} and ${isOpenWorkflow('owner')}`;

export const searchFilters = defineSearchFilters([
  {
    name: 'FailedSteps',
    doc: 'True finds records on which a workflow has a failed step, and of workflows those that have one.',
    condition({ registry }, record, { name, filters }, { sql }) {
      const isRequired = parseValue(isSent, parameter(filters, name) ?? null, name, { timeZone: 'UTC' }) !== false;
      const not = isRequired ? '' : 'not ';
      if (record.name === decision.name)
        return `${not}${idOf(record)} in (select failed.decisionid from ${FAILED_STEPS})`;
      const names = registry.records().filter((each) => isA(each, record));
      const types = sql.add(arrayLiteral(names.map((each) => each.name)), 'text[]');
      return `${not}${idOf(record)} in (select owner.objectid from ${FAILED_STEPS} and owner.object = any(${types}))`;
    },
  },
]);
