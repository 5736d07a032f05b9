import { randomUUID } from 'node:crypto';
import type {
  AnswerTo,
  MoreParametersFor,
  OnlyKnown,
  OperationName,
  SentParametersFor,
} from '../../kernel/declare/catalog.ts';
import type { CallOutcome } from '../../kernel/door/call.ts';
import { invoke } from '../../kernel/door/invoke.ts';
import { parseRoute } from '../../kernel/door/route.ts';
import { parametersFromCode, type Parameters } from '../../kernel/parameters/parameters.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import type { Principal } from '../../kernel/security/identity.ts';

/** A user in whose name the demo calls operations, as that user would at a page. */
export interface DemoUser {
  readonly personId: number;
  /** Calls an operation. `more`: parameters whose names are known only at run time. */
  call<N extends OperationName, const P extends SentParametersFor<N>>(
    name: N,
    parameters: P & OnlyKnown<P, SentParametersFor<N>>,
    more?: MoreParametersFor<N>,
  ): Promise<AnswerTo<N, P>>;
  /** Queues a call for a worker of the server. `label`: how people find it. */
  queue<N extends OperationName, const P extends SentParametersFor<N>>(
    name: N,
    parameters: P & OnlyKnown<P, SentParametersFor<N>>,
    label: string,
  ): Promise<void>;
  /** Sends a document to an operation, such as a file of referrals. */
  send(
    route: string,
    parameters: Parameters,
    document: { readonly mime: string; readonly text: string },
  ): Promise<void>;
}

/** Takes the correlation ID of each call before it is made. */
export type NoteCall = (callId: string) => void;

/** Returns a user of the demo. */
export function demoUser(platform: Platform, principal: Principal, noteCall: NoteCall): DemoUser {
  const invokeAs = (
    route: string,
    parameters: Parameters,
    body?: { mime: string; text: string },
  ): Promise<CallOutcome> => {
    const correlationId = randomUUID();
    noteCall(correlationId);
    return invoke(platform, {
      route: parseRoute(platform.registry, route.split('/'), 'POST'),
      parameters,
      principal,
      address: 'demo',
      correlationId,
      ...(body ? { body: { mime: body.mime, bytes: once(body.text) } } : {}),
    });
  };
  return {
    personId: principal.personId,
    call: async (name, parameters, more) =>
      (await invokeAs(name, parametersFromCode({ ...(more as Parameters | undefined), ...parameters })))
        .answer as never,
    queue: async (name, parameters, label) => {
      const [module, operation] = name.split('/');
      await invokeAs(`${module}/queue/${operation}`, parametersFromCode({ ...parameters, QueueLabel: label }));
    },
    send: async (route, parameters, { mime, text }) => {
      await invokeAs(route, parameters, { mime, text });
    },
  };
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield Buffer.from(text);
}
