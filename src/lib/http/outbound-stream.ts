import { request as plainRequest, type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { requestOptions, type OutboundRequest } from './outbound-request.ts';

/** A request whose answer is read as it comes. */
export interface OutboundDownload extends Pick<OutboundRequest, 'headers' | 'rules' | 'signal'> {
  /** How long nothing may come, from the first step of connecting to the last byte. */
  readonly milliseconds: number;
}

/**
 * Opens a download from a service outside: connects to a checked address, past any proxy of the environment, and
 * follows no redirect. Whoever does not read the answer to its end must destroy it. @throws the error of the connection
 */
export function openOutboundDownload(url: URL, download: OutboundDownload): Promise<IncomingMessage> {
  const { milliseconds, signal } = download;
  return new Promise((answered, failed) => {
    const asking = (url.protocol === 'http:' ? plainRequest : request)(
      url,
      {
        ...requestOptions(url, { ...download, method: 'GET' }),
        timeout: milliseconds,
        ...(signal ? { signal } : {}),
      },
      answered,
    );
    asking.on('timeout', () => asking.destroy(new Error(`nothing came for ${milliseconds / 1_000} s`)));
    asking.on('error', failed);
    asking.end();
  });
}
