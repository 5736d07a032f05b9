import type { Context } from '../../../../kernel/door/context.ts';
import { didYouMean, PlatformError } from '../../../../kernel/door/errors.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { parseRoute } from '../../../../kernel/door/route.ts';
import { checkSignature, fillSignature } from '../../../../kernel/door/signature.ts';
import { enqueueAsSystem } from '../../../../kernel/security/system-user.ts';
import { registrationProcesses } from '../settings.ts';

/** Most processes that registrations may start; all are parsed for each registration that names one. */
const PROCESSES_MAX = 50;

/** Returns the processes that a registration may start: names with signatures. */
export function parseProcesses(
  text: string,
): ReadonlyMap<string, { readonly name: string; readonly signature: string }> {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length > PROCESSES_MAX) throw bad('Value', `at most ${PROCESSES_MAX} lines`);
  return new Map(
    lines.map((line) => {
      const [, name = '', signature = ''] = /^([^:]{1,100}):\s*(\S.*)$/.exec(line) ?? [];
      if (name.trim() === '') throw bad('Value', 'one `Name: Module/Operation?Parameters` per line');
      return [name.trim().toLowerCase(), { name: name.trim(), signature }] as const;
    }),
  );
}

/** Returns the declared spelling of a process that a caller names. */
export function requireProcess(ctx: Context, name: string): string {
  const known = parseProcesses(ctx.settings.get(registrationProcesses));
  const found = known.get(name.trim().toLowerCase());
  if (found) return found.name;
  const names = [...known.values()].map((one) => one.name);
  throw new PlatformError('BAD_PARAMETER', {
    field: 'Process',
    message: `Process: there is no such process.${didYouMean(name, names)} ` + `Known: ${names.join(', ') || 'none'}.`,
  });
}

/** Queues a process as the platform's own work; skips one that is no longer configured. Values fill parameters only. */
export async function startProcess(
  ctx: Context,
  name: string,
  values: Readonly<Record<string, string | number | null>>,
): Promise<void> {
  const found = parseProcesses(ctx.settings.get(registrationProcesses)).get(name.toLowerCase());
  if (!found) {
    ctx.log.warn('a registration names a process that is no longer configured', { process: name });
    return;
  }
  const signature = await checkSignature(ctx, found.signature, { field: 'RegistrationProcesses' });
  const route = parseRoute(ctx.registry, signature.route.split('/'), 'POST');
  const parameters = await fillSignature(signature, (expression) => values[expression] ?? null);
  const { parent, id, segments } = route;
  await enqueueAsSystem(ctx, {
    route: `${route.module}/${route.operation?.path ?? route.path}`,
    parameters: { ...parameters, ...segments, ...(id === undefined ? {} : { ID: id }) },
    queueName: 'Default',
    ...(parent ? { parent: { record: parent.record.name, id: parent.id } } : {}),
  });
}
