import { splitCommaList } from '../kernel/parameters/split-list.ts';
import { queueNames, timeZone } from '../kernel/declare/core-settings.ts';
import type { Platform } from '../kernel/ports/platform.ts';
import type { Registry } from '../kernel/declare/registry.ts';
import { agentPages } from './agents.ts';
import { documentPage, pages as ownPages } from '../surfaces/http/pages.ts';
import type { Page } from '../surfaces/http/server.ts';
import { openApi, type OpenApiOptions } from '../surfaces/openapi/openapi.ts';
import { describer } from '../surfaces/openapi/markdown.ts';
import { liveStreams } from '../surfaces/live/live-page.ts';
import { createPages } from '../surfaces/pages/pages.ts';
import { VERSION } from './version.ts';

const written = new WeakMap<Registry, { readonly of: string; readonly text: string }>();

/** Returns the OpenAPI document of an installation. Cached until a setting in it changes. */
function openApiText({ registry, settings }: Platform): string {
  const queues = splitCommaList(settings.get(queueNames));
  const options: OpenApiOptions = { version: VERSION, timeZone: settings.get(timeZone), queueNames: queues };
  const of = JSON.stringify(options);
  let known = written.get(registry);
  if (known?.of !== of) written.set(registry, (known = { of, text: JSON.stringify(openApi(registry, options)) }));
  return known.text;
}

/** Everything that the web server serves besides operations, by address, with the method before it unless it is GET. */
export const pages: Readonly<Record<string, Page>> = {
  ...ownPages,
  ...createPages(describer),
  '/live': liveStreams(),
  '/api/openapi.json': documentPage(openApiText),
  ...agentPages,
};
