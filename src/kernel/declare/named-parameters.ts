import type { Operation, OperationDeclaration } from './operation.ts';

/** A parameter with the IDs of records that an operation works on. */
export interface NamedParameter {
  /** The parameter with the id, or the list of ids. */
  readonly id: string;
  /** The parameter with the name of their record type, of a pair such as `Object` and `ObjectID`. */
  readonly object?: string | undefined;
}

/** Returns the parameters that an operation's `names` declares. */
export function namedParameters({ names }: Pick<OperationDeclaration, 'names'>): readonly NamedParameter[] {
  if (names === undefined) return [];
  const all = Array.isArray(names)
    ? (names as readonly (string | NamedParameter)[])
    : [names as string | NamedParameter];
  return all.map((name) => (typeof name === 'string' ? { id: name } : name));
}

/** Returns the name of the record type that a parameter's ids belong to; undefined for the operation's own type. */
export function typeNameOf({ params }: Pick<OperationDeclaration, 'params'>, id: string): string | undefined {
  return params[id]?.to;
}

/** Returns the parameter that names records of the operation's own type, if it has one. */
export function ownParameter(operation: Operation): string | undefined {
  return namedParameters(operation).find(
    ({ id, object }) => object === undefined && [undefined, operation.record?.name].includes(typeNameOf(operation, id)),
  )?.id;
}

/**
 * Throws unless the door can reach the records in an operation's `names` as its `reach` declares, or `own` has a
 * reason.
 */
export function assertNamesDeclared(operation: Operation): void {
  const problem =
    reachProblem(operation) ??
    namedParameters(operation)
      .map((named) => parameterProblem(operation, named))
      .find((found) => found !== undefined);
  if (problem !== undefined) throw new Error(`${operation.route}: ${problem}`);
}

function reachProblem({ reach, names, effect, transactions }: Operation): string | undefined {
  if (reach !== undefined && names === undefined) return 'it declares `reach`, and no parameter that names a record';
  if (typeof reach === 'object' && reach.own.trim() === '')
    return '`own` needs the reason why the door cannot reach the records';
  return reach === 'locked row' && (effect === 'read' || transactions === 'own')
    ? 'the door locks rows only in the transaction of the call'
    : undefined;
}

function parameterProblem(operation: Operation, { id, object }: NamedParameter): string | undefined {
  const { params, record, reach } = operation;
  const kind = params[id]?.kind;
  if (kind !== 'id' && kind !== 'idList') return `${id} is not a parameter with an ID`;
  if (object !== undefined)
    return params[object]?.kind === 'text' ? undefined : `${object} is not a parameter with the name of a record type`;
  if (record === undefined && typeNameOf(operation, id) === undefined)
    return `it does not declare which records ${id} names`;
  return reach === 'row' && kind === 'idList' ? 'the door returns the rows of a list only if it locks them' : undefined;
}
