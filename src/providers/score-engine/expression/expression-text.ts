import { textOf } from './evaluate-expression.ts';
import type { Expression } from './program-syntax.ts';

/** Returns an expression as people write it. Operands that are themselves operations are in brackets. */
export function expressionText(expression: Expression): string {
  switch (expression.kind) {
    case 'number':
      return textOf(expression.value);
    case 'text':
      return `'${expression.value.replaceAll("'", "''")}'`;
    case 'constant':
      return String(expression.value);
    case 'name':
      return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(expression.name) ? expression.name : `[${expression.name}]`;
    case 'unary':
      return expression.sign === 'not' ? `not ${operand(expression.of)}` : `-${operand(expression.of)}`;
    case 'binary':
      return `${operand(expression.left)} ${expression.sign} ${operand(expression.right)}`;
    case 'call':
      return `${expression.name}(${expression.given.map(expressionText).join(', ')})`;
  }
}

function operand(expression: Expression): string {
  const text = expressionText(expression);
  return expression.kind === 'binary' ? `(${text})` : text;
}
