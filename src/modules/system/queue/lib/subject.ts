import { namedParameters, typeNameOf } from '../../../../kernel/declare/named-parameters.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { parameter } from '../../../../kernel/parameters/parameters.ts';
import type { QueueMessage } from '../../../../kernel/ports/queue.ts';

/** The record that a queued call is about. */
export interface Subject {
  readonly Object: string | null;
  readonly ObjectID: number | null;
}

/** Returns the one record that a queued call names: the parent of its route, else the first of its parameters. */
export function subjectOf({ registry }: Pick<Context, 'registry'>, message: QueueMessage): Subject {
  const { parent, parameters } = message;
  if (parent) return { Object: registry.record(parent.record)?.name ?? parent.record, ObjectID: parent.id };
  const operation = registry.operation(message.Operation);
  for (const named of operation ? namedParameters(operation) : []) {
    const id = Number(parameter(parameters, named.id));
    const type =
      named.object === undefined
        ? (typeNameOf(operation as NonNullable<typeof operation>, named.id) ?? operation?.record?.name)
        : parameter(parameters, named.object);
    const record = typeof type === 'string' ? registry.record(type) : undefined;
    if (record && Number.isSafeInteger(id) && id > 0) return { Object: record.name, ObjectID: id };
  }
  return { Object: null, ObjectID: null };
}
