import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { timeZone } from '../../../kernel/declare/core-settings.ts';
import type { Answer } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { invoke } from '../../../kernel/door/invoke.ts';
import { parseRoute } from '../../../kernel/door/route.ts';
import { parameter, parametersFromCode } from '../../../kernel/parameters/parameters.ts';
import type { Platform } from '../../../kernel/ports/platform.ts';
import { frameDocument, framePolicy } from '../../../lib/html-sanitizer/frame-document.ts';
import { sessionTokenOf } from '../../shared/session-cookie.ts';
import { readForm, sendRedirect, type Page } from '../page.ts';
import { callPublic, respond } from '../public-page.ts';
import { readingCookie, readingTicket } from './reading-cookie.ts';
import { codeView, messageView, startView, type SecureMessage } from './secure-views.ts';

/** Largest form of these pages. Anyone may send one. */
const FORM_BYTES_MAX = 16 * 1024;

/**
 * Shows the message of a secure link: to a user who reaches it, as the page of the message; to whoever has entered the
 * one-time code, here. Others are asked how they want to prove that it is for them, whether there is such a link or
 * not.
 */
export const securePage: Page = async (platform, request, reply) => {
  const messageId = await messageOfUser(platform, request);
  if (messageId !== undefined) {
    sendRedirect(reply, `/messages/${messageId}`);
    return;
  }
  const path = pathOf(request);
  const ticket = readingTicket(request);
  await respond(platform, request, reply, {
    make: async () => {
      if (ticket === undefined) return startView(path);
      const remoteImages = hasImages(request);
      const message = await readMessage(platform, request, remoteImages);
      return messageView({ path, ticket, remoteImages, zone: platform.settings.get(timeZone), message });
    },
    failed: (error) => {
      if (error.code !== 'NO_PERMISSION') return undefined;
      void reply.header('Set-Cookie', readingCookie(request, path, undefined));
      return startView(path, 'Your reading time has expired, or the link is no longer valid. Request a new code.');
    },
  });
};

/** Mails a one-time code, or checks the one that was entered. */
export const openSecure: Page = async (platform, request, reply) => {
  const path = pathOf(request);
  let hasCode = false;
  await respond(platform, request, reply, {
    make: async () => {
      const form = await readForm(request, FORM_BYTES_MAX);
      const code = parameter(form, 'Code');
      hasCode = typeof code === 'string';
      const token = tokenOf(request);
      if (typeof code !== 'string') {
        await callPublic(platform, request, 'securelink/requestcode', { Token: token });
        return codeView(path);
      }
      if (code.trim() === '') return codeView(path, 'Enter the code from the email.');
      const { answer } = await callPublic(platform, request, 'securelink/read', { Token: token, Code: code });
      void reply.header('Set-Cookie', readingCookie(request, path, messageOf(answer).Ticket ?? undefined));
      return { redirectTo: path };
    },
    failed: (error) => (hasCode && error.code === 'NO_PERMISSION' ? codeView(path, error.message) : undefined),
  });
};

/** Sends the body of the message for the frame of the page. */
export const secureBody: Page = async (platform, request, reply) => {
  const remoteImages = hasImages(request);
  try {
    const message = await readMessage(platform, request, remoteImages);
    const { Body: html, BodyKind: kind, Subject: title } = message;
    void reply
      .code(200)
      .headers({
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': framePolicy({ remoteImages }),
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
        'Cache-Control': 'no-store',
      })
      .send(frameDocument({ html: html ?? '', title: title ?? 'Message', kind, remoteImages }));
  } catch (error) {
    void reply.code(error instanceof PlatformError ? error.status : 500).send('');
  }
};

async function readMessage(platform: Platform, request: FastifyRequest, Images: boolean): Promise<SecureMessage> {
  const Ticket = readingTicket(request) ?? '';
  const { answer } = await callPublic(platform, request, 'securelink/read', { Ticket, Images: String(Images) });
  return messageOf(answer);
}

/** Returns the message of the link if the visitor is signed in and reaches it; their reading is recorded. */
async function messageOfUser(platform: Platform, request: FastifyRequest): Promise<number | undefined> {
  const token = sessionTokenOf(request.headers.cookie, request.protocol === 'https');
  if (token === undefined) return undefined;
  try {
    const { answer } = await invoke(platform, {
      route: parseRoute(platform.registry, ['securelink', 'read'], 'POST'),
      parameters: parametersFromCode({ Token: tokenOf(request) }),
      credential: { kind: 'session', token },
      address: request.ip,
      correlationId: randomUUID(),
      cause: ['Page'],
      surface: 'page',
    });
    return messageOf(answer).MessageID ?? undefined;
  } catch (error) {
    // The session has ended, or the message is for somebody else: they may still enter a code.
    if (error instanceof PlatformError) return undefined;
    throw error;
  }
}

function messageOf(answer: Answer): SecureMessage {
  if (answer.kind !== 'item') throw new Error('securelink/read returns an item');
  return answer.row as unknown as SecureMessage;
}

function tokenOf(request: FastifyRequest): string {
  const { token = '' } = request.params as Readonly<Record<string, string>>;
  return token.slice(0, 200);
}

/** Returns the address of the link's page; a token that is none of ours leads nowhere. */
function pathOf(request: FastifyRequest): string {
  return `/secure/${encodeURIComponent(tokenOf(request))}`;
}

function hasImages({ raw }: FastifyRequest): boolean {
  return /[?&]images=yes(?:&|$)/.test(raw.url ?? '');
}
