import { setTimeout as delay } from 'node:timers/promises';
import type { AnswerRowFor } from '../../kernel/declare/catalog.ts';
import { nearest } from '../../kernel/door/errors.ts';
import { Arguments, readArguments, type Option } from './arguments.ts';
import { callCommand, callOptions } from './call.ts';
import { openClient, serverOptions, type Client } from './client.ts';
import { queueCommand, queueOptions, queueTable } from './queue.ts';
import { describeCommand, documentOf, operationsCommand } from './reference.ts';
import { exitCodes, NoAnswerError, RefusedError, table, UsageError, type Terminal } from './terminal.ts';

/** A command with its help. */
interface Command {
  readonly usage: string;
  readonly about: string;
  readonly options?: Readonly<Record<string, Option>>;
  readonly run: (terminal: Terminal, client: Client, args: Arguments) => Promise<number>;
}

const statusOptions: Readonly<Record<string, Option>> = {
  wait: {
    value: 'a number of seconds',
    about: 'Repeats the check for up to this long until the server is healthy, for scripts that wait for its start.',
  },
};

const commands: Readonly<Record<string, Command>> = {
  call: {
    usage: "call '<module>/<operation>?<parameters>'",
    about: 'Calls an operation.',
    options: callOptions,
    run: callCommand,
  },
  operations: {
    usage: 'operations [<module>]',
    about: 'Lists the operations; of one module, with their parameters.',
    run: operationsCommand,
  },
  describe: {
    usage: 'describe <module>/<operation>',
    about: 'Describes an operation and its parameters.',
    run: describeCommand,
  },
  status: {
    usage: 'status',
    about: 'Shows whether the server is healthy, its version and its queues.',
    options: statusOptions,
    run: statusCommand,
  },
  queue: {
    usage: 'queue list | dead | requeue <ids> | stop <queues> | start <queues> | throttle <queue> <per minute>',
    about: 'Shows and controls queues.',
    options: queueOptions,
    run: (terminal, client, args) => queueCommand(args.words[0])(terminal, client, args.afterFirst()),
  },
  mcp: {
    usage: 'mcp',
    about:
      'Serves an agent on standard input and output by the Model Context Protocol, ' +
      'with the permissions of the key.',
    run: agentCommand,
  },
};

/** Commands of the program itself, for help and suggestions. */
const ownCommands = {
  serve: 'Serves until stopped, as `npm start` does.',
  help: 'Shows this help, or that of one command.',
};

/** Runs one command and returns the exit code: 0 done, 1 refused by the server, 2 usage error, 3 no answer. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name = 'help', ...rest] = args;
  try {
    if (name === '--version' || name === '-v') return await print(terminal, `casewright ${terminal.version}\n`);
    if (name === 'help' || name === '--help' || name === '-h') return await print(terminal, helpOf(rest[0]));
    const command = commandOf(name);
    if (rest.includes('--help') || rest.includes('-h')) return await print(terminal, helpOf(name));
    const read = readArguments(rest, { ...serverOptions, ...command.options });
    return await command.run(terminal, openClient(terminal, read), read);
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.error(
        `casewright: ${error.message}\nSee: casewright help ${Object.hasOwn(commands, name) ? name : ''}`.trimEnd() +
          '\n',
      );
      return exitCodes.usage;
    }
    if (error instanceof RefusedError) terminal.error(`${error.message.trimEnd()}\n`);
    else if (error instanceof NoAnswerError) terminal.error(`casewright: ${error.message}\n`);
    else throw error;
    return error instanceof RefusedError ? exitCodes.refused : exitCodes.noAnswer;
  }
}

function commandOf(name: string): Command {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return command;
  const near = nearest(name, [...Object.keys(commands), ...Object.keys(ownCommands)])[0];
  throw new UsageError(`unknown command ${name}.${near === undefined ? '' : ` Did you mean ${near}?`}`);
}

async function print(terminal: Terminal, text: string): Promise<number> {
  await terminal.out(text);
  return exitCodes.done;
}

function helpOf(name: string | undefined): string {
  if (name !== undefined && !Object.hasOwn(ownCommands, name)) {
    const { usage, about, options = {} } = commandOf(name);
    return `casewright ${usage}\n\n${about}\n\nOptions:\n${optionLines({ ...options, ...serverOptions })}`;
  }
  const lines = [
    ...Object.entries(commands).map(([, { usage, about }]) => `  casewright ${usage}\n      ${about}`),
    ...Object.entries(ownCommands).map(([own, about]) => `  casewright ${own}\n      ${about}`),
  ];
  return (
    `Commands:\n${lines.join('\n')}\n\n` +
    `Options of all commands that call a server:\n${optionLines(serverOptions)}\n` +
    'Exit codes: 0 done, 1 refused by the server, 2 usage error, 3 no response from a server.\n'
  );
}

function optionLines(options: Readonly<Record<string, Option>>): string {
  return Object.entries(options)
    .map(([name, { value, about }]) => `  --${name}${value === undefined ? '' : ` <${value}>`}\n      ${about}\n`)
    .join('');
}

/** Interval between two checks of a server that is not ready. */
const POLL_MILLISECONDS = 250;
/** Longest time that `status --wait` waits. */
const WAIT_SECONDS_MAX = 3_600;

async function statusCommand(terminal: Terminal, client: Client, args: Arguments): Promise<number> {
  if (args.words.length > 0) throw new UsageError('status takes no names');
  const seconds = Number(args.one('wait') ?? 0);
  if (!(seconds >= 0 && seconds <= WAIT_SECONDS_MAX))
    throw new UsageError(`--wait: expected a number of seconds from 0 to ${WAIT_SECONDS_MAX}`);
  const health = await healthOf(client, performance.now() + seconds * 1_000);
  await terminal.out(`${client.url}: ${health}\n`);
  if (health !== 'healthy') return exitCodes.refused;
  if (!client.hasCredentials)
    return print(terminal, 'Sign in with an API key or --as to see the version and the queues.\n');
  await terminal.out(`server ${(await documentOf(client)).info.version}, command line ${terminal.version}\n\n`);
  await terminal.out(await queueTable(client));
  return print(terminal, await findingsText(client));
}

/** Returns what health checks found, the gravest first, for those who may see it. */
async function findingsText(client: Client): Promise<string> {
  try {
    const { HealthCollection } = (await client.call('system/health', {})) as {
      readonly HealthCollection: { readonly HealthItem: readonly AnswerRowFor<'system/health'>[] };
    };
    const found = HealthCollection.HealthItem.filter(({ State, MutedUntil }) => State !== 'ok' && !MutedUntil);
    if (found.length === 0) return '\nNothing needs attention.\n';
    const columns = ['Health', 'State', 'Since', 'Detail', 'Advice'] as const;
    return `\n${table(
      ['FINDING', 'STATE', 'SINCE', 'DETAILS', 'WHAT TO DO'],
      found.map((row) => columns.map((name) => row[name])),
    )}`;
  } catch (error) {
    if (error instanceof RefusedError) return '';
    throw error;
  }
}

/** Relays an agent's messages to the server until the agent ends. */
async function agentCommand(terminal: Terminal, client: Client, args: Arguments): Promise<number> {
  if (args.words.length > 0) throw new UsageError('mcp takes no names');
  if (!client.hasCredentials)
    throw new UsageError(
      'mcp: expected a key in CASEWRIGHT_API_KEY or in the file of CASEWRIGHT_API_KEY_FILE, or --as',
    );
  await terminal.serveAgent?.((body, headers, signal) =>
    client.send('/mcp', { method: 'POST', type: 'application/json', body, headers, signal }),
  );
  return exitCodes.done;
}

async function healthOf(client: Client, until: number): Promise<string> {
  for (;;) {
    const isLast = performance.now() >= until;
    try {
      const answer = await client.send('/api/healthcheck');
      const { status } = (await answer.json().catch(() => ({}))) as { status?: string };
      if (answer.ok || isLast) return status ?? `answered ${answer.status}`;
    } catch (error) {
      if (isLast || !(error instanceof NoAnswerError)) throw error;
    }
    await delay(POLL_MILLISECONDS);
  }
}
