import type { Field } from '../../../kernel/declare/field-types.ts';

/** How a filter compares, as people choose it. */
export type OperatorName =
  | 'is'
  | 'isNot'
  | 'contains'
  | 'startsWith'
  | 'atLeast'
  | 'atMost'
  | 'above'
  | 'below'
  | 'empty'
  | 'notEmpty';

/** A filter as people read it. `value` is empty for the operators that take none. */
export interface FilterTerm {
  readonly operator: OperatorName;
  readonly value: string;
}

const numbers: readonly OperatorName[] = ['is', 'isNot', 'atLeast', 'atMost', 'empty', 'notEmpty'];
const choices: readonly OperatorName[] = ['is', 'isNot', 'empty', 'notEmpty'];

/** Returns the operators that fit a field, the usual one first. */
export function operatorsOf({ kind, values }: Field): readonly OperatorName[] {
  switch (kind) {
    case 'text':
    case 'xml':
      return values ? choices : ['is', 'isNot', 'contains', 'startsWith', 'empty', 'notEmpty'];
    case 'integer':
    case 'decimal':
    case 'money':
    case 'date':
    case 'timestamp':
      return numbers;
    case 'json':
      return ['notEmpty', 'empty'];
    default:
      return choices;
  }
}

/** Returns what an operator is called: of dates "on or after", of amounts "at least". */
export function operatorText(operator: OperatorName, { kind }: Field): string {
  const isDate = kind === 'date' || kind === 'timestamp';
  return {
    is: 'is',
    isNot: 'is not',
    contains: 'contains',
    startsWith: 'starts with',
    atLeast: isDate ? 'is on or after' : 'is at least',
    atMost: isDate ? 'is on or before' : 'is at most',
    above: isDate ? 'is after' : 'is over',
    below: isDate ? 'is before' : 'is under',
    empty: 'is empty',
    notEmpty: 'is not empty',
  }[operator];
}

/** Whether an operator compares with a value. */
export function takesValue(operator: OperatorName): boolean {
  return operator !== 'empty' && operator !== 'notEmpty';
}

/** Returns a filter as people read it, from the text that a search takes. */
export function parseFilter(text: string): FilterTerm {
  const trimmed = text.trim();
  if (/^null$/i.test(trimmed)) return { operator: 'empty', value: '' };
  if (/^not\s+null$/i.test(trimmed)) return { operator: 'notEmpty', value: '' };
  const [, sign = '', value = ''] = /^(>=|<=|<>|!=|>|<|=|not\s)\s*(.*)$/is.exec(trimmed) ?? [];
  const operator = signs[sign.trim().toLowerCase()];
  if (operator !== undefined && value !== '') return { operator, value };
  const inner = /^\*([^*]+)\*$/.exec(trimmed)?.[1];
  if (inner !== undefined) return { operator: 'contains', value: inner };
  const start = /^([^*]+)\*$/.exec(trimmed)?.[1];
  return start === undefined ? { operator: 'is', value: trimmed } : { operator: 'startsWith', value: start };
}

const signs: Readonly<Record<string, OperatorName>> = {
  '>=': 'atLeast',
  '<=': 'atMost',
  '>': 'above',
  '<': 'below',
  '=': 'is',
  '<>': 'isNot',
  '!=': 'isNot',
  not: 'isNot',
};

/** Returns the text that a search takes for a filter. */
export function filterText({ operator, value }: FilterTerm): string {
  switch (operator) {
    case 'is':
      return value;
    case 'isNot':
      return `not ${value}`;
    case 'contains':
      return `*${value}*`;
    case 'startsWith':
      return `${value}*`;
    case 'atLeast':
      return `>=${value}`;
    case 'atMost':
      return `<=${value}`;
    case 'above':
      return `>${value}`;
    case 'below':
      return `<${value}`;
    case 'empty':
      return 'null';
    case 'notEmpty':
      return 'not null';
  }
}

/** Whether a text is the name of an operator. */
export function isOperator(text: string): text is OperatorName {
  return ['is', 'isNot', 'contains', 'startsWith', 'atLeast', 'atMost', 'above', 'below', 'empty', 'notEmpty'].includes(
    text,
  );
}
