import { credentialOf } from '../surfaces/http/request.ts';
import { dropUnreadBody } from '../surfaces/http/response.ts';
import type { Page } from '../surfaces/http/server.ts';
import { agentEndpoint } from '../surfaces/mcp/http.ts';
import { describer } from '../surfaces/openapi/markdown.ts';
import { VERSION } from './version.ts';

const endpoint = agentEndpoint({ version: VERSION, credentialOf, describer });

const answerAgent: Page = async (platform, request, reply) => {
  await endpoint(platform, request, reply);
  dropUnreadBody(request);
};

/** The agents' endpoint, by address; methods other than POST are refused in the way that agents understand. */
export const agentPages: Readonly<Record<string, Page>> = {
  'POST /mcp': answerAgent,
  '/mcp': answerAgent,
  'DELETE /mcp': answerAgent,
  'OPTIONS /mcp': answerAgent,
};
