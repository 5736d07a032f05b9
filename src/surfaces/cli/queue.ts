import type { AnswerRowFor } from '../../kernel/declare/catalog.ts';
import { defined } from '../../kernel/parameters/defined.ts';
import { nearest } from '../../kernel/door/errors.ts';
import type { Arguments, Option } from './arguments.ts';
import type { Client } from './client.ts';
import { exitCodes, table, UsageError, type Terminal } from './terminal.ts';

/** The options of `queue`. */
export const queueOptions: Readonly<Record<string, Option>> = {
  queue: { value: 'a queue', about: 'For `dead` and `requeue`: only messages of this queue.' },
  operation: { value: 'module/operation', about: 'For `dead` and `requeue`: only calls of this operation.' },
  error: { value: 'a code', about: 'For `dead` and `requeue`: only messages whose last failure had this code.' },
  size: { value: 'a number', about: 'For `dead`: how many to list, by default 25.' },
};

type QueueRow = AnswerRowFor<'queue/queues'>;
type MessageRow = AnswerRowFor<'queue/search'>;

type QueueCommand = (terminal: Terminal, client: Client, args: Arguments) => Promise<number>;

const TABLE_HEAD = ['QUEUE', 'STATE', 'WAITING', 'OLDEST', 'LATER', 'RUNNING', 'DEAD', 'PER MINUTE'];

/** Returns the queues as a table. */
export async function queueTable(client: Client): Promise<string> {
  const { QueueCollection } = (await client.call('queue/queues', {})) as {
    readonly QueueCollection: { readonly QueueItem: readonly QueueRow[] };
  };
  return table(TABLE_HEAD, QueueCollection.QueueItem.map(rowOf));
}

function rowOf(queue: QueueRow): unknown[] {
  const perMinute = queue.MessagesPerMinute;
  return [
    queue.QueueName,
    queue.State,
    queue.Waiting,
    `${queue.OldestSeconds} s`,
    queue.Deferred,
    queue.Running,
    queue.Dead,
    perMinute === 0 ? 'any' : perMinute,
  ];
}

type MessageFilters = Partial<Record<'QueueName' | 'Operation' | 'ErrorCode', string>>;

function filtersOf(args: Arguments): MessageFilters {
  return defined({ QueueName: args.one('queue'), Operation: args.one('operation'), ErrorCode: args.one('error') });
}

/** Returns a command on one or more named queues that prints their state afterwards. */
function controlCommand(operation: 'start' | 'stop'): QueueCommand {
  return async (terminal, client, { words }) => {
    if (words.length === 0) throw new UsageError('expected the names of one or more queues');
    const rows: unknown[][] = [];
    for (const name of words)
      rows.push(rowOf((await client.call(`queue/${operation}`, { QueueName: name })) as QueueRow));
    await terminal.out(table(TABLE_HEAD, rows));
    return exitCodes.done;
  };
}

const commands: Readonly<Record<string, QueueCommand>> = {
  async list(terminal, client, { words }) {
    if (words.length > 0) throw new UsageError('queue list takes no names');
    await terminal.out(await queueTable(client));
    return exitCodes.done;
  },
  async dead(terminal, client, args) {
    if (args.words.length > 0)
      throw new UsageError('queue dead takes no names; filter with --queue, --operation or --error');
    const { QueueMessageCollection } = (await client.call('queue/search', {
      State: 'dead',
      ...filtersOf(args),
      ...defined({ DisplaySize: args.one('size') }),
    })) as { readonly QueueMessageCollection: { readonly QueueMessageItem: readonly MessageRow[] } };
    const columns = [
      'QueueMessageID',
      'QueueName',
      'Operation',
      'Attempts',
      'CompletedDate',
      'ErrorCode',
      'ErrorMessage',
    ] as const;
    await terminal.out(
      table(
        ['MESSAGE', 'QUEUE', 'OPERATION', 'TRIES', 'ENDED', 'ERROR', 'ERROR TEXT'],
        QueueMessageCollection.QueueMessageItem.map((message) => columns.map((name) => message[name])),
      ),
    );
    return exitCodes.done;
  },
  async requeue(terminal, client, args) {
    const filters = filtersOf(args);
    if (args.words.length === 0 && Object.keys(filters).length === 0)
      throw new UsageError('expected message IDs, or a filter: --queue, --operation or --error');
    const { Requeued } = (await client.call('queue/requeue', {
      ...(args.words.length > 0 ? { ID: args.words } : {}),
      ...filters,
    })) as { readonly Requeued: number };
    await terminal.out(`${Requeued} queued again\n`);
    return exitCodes.done;
  },
  stop: controlCommand('stop'),
  start: controlCommand('start'),
  async throttle(terminal, client, { words }) {
    const [name, perMinute, ...more] = words;
    if (name === undefined || !/^\d+$/.test(perMinute ?? '') || more.length > 0)
      throw new UsageError('expected the name of a queue and a number of messages per minute; 0 removes the limit');
    await terminal.out(
      table(TABLE_HEAD, [
        rowOf(
          (await client.call('queue/throttle', { QueueName: name, MessagesPerMinute: Number(perMinute) })) as QueueRow,
        ),
      ]),
    );
    return exitCodes.done;
  },
};

/** Returns a subcommand of `queue`. Throws UsageError if there is none. */
export function queueCommand(name: string | undefined): QueueCommand {
  const known = Object.keys(commands);
  const run = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!run)
    throw new UsageError(
      name === undefined
        ? `expected one of ${known.join(', ')} after queue`
        : `unknown command queue ${name}. Did you mean queue ${nearest(name, known)[0] ?? known.join(', queue ')}?`,
    );
  return run;
}
