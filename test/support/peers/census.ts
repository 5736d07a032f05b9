import type { ServerResponse } from 'node:http';
import type { CleanUp } from '../database.ts';
import { startReceiver, type Received } from './receiver.ts';

/** A building known to the service. */
export interface Building {
  readonly street: string;
  readonly streetName: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
  readonly x: number;
  readonly y: number;
}

/** A geocoder on this machine that speaks the public protocol of the census bureau. */
export interface Census {
  readonly url: string;
  readonly received: Received[];
  knows(building: Building): void;
  /** Replaces the protocol's answer from now on; undefined restores it. */
  fault: ((response: ServerResponse, received: Received) => void) | undefined;
}

/** Returns the protocol's answer about a building. */
export function matchOf({ street, streetName, city, state, zip, x, y }: Building): object {
  return {
    tigerLine: { side: 'L', tigerLineId: '76355984' },
    coordinates: { x, y },
    addressComponents: {
      zip,
      streetName,
      preType: '',
      city,
      preDirection: '',
      suffixDirection: '',
      fromAddress: '4600',
      state,
      suffixType: 'RD',
      toAddress: '4700',
      suffixQualifier: '',
      preQualifier: '',
    },
    matchedAddress: `${street}, ${city}, ${state}, ${zip}`,
  };
}

/** Starts the service on a free loopback port. It finds buildings by house number and street and ignores the city. */
export async function startCensus(cleanUp: CleanUp): Promise<Census> {
  const receiver = await startReceiver(cleanUp);
  const buildings: Building[] = [];
  const census: Census = {
    url: `${receiver.url}/geocoder`,
    received: receiver.received,
    knows: (building) => void buildings.push(building),
    fault: undefined,
  };
  receiver.answer = (received, response) => {
    if (census.fault) return census.fault(response, received);
    const url = new URL(received.path, 'http://census');
    const street = url.searchParams.get('street') ?? '';
    const isLookup =
      url.pathname === '/geocoder/locations/address' &&
      url.searchParams.get('format') === 'json' &&
      url.searchParams.get('benchmark') === 'Public_AR_Current';
    if (!isLookup || street === '' || street.length > 100) {
      response.writeHead(400, { 'Content-Type': 'application/json' }).end(
        JSON.stringify({
          errors: ['Street address cannot be empty and cannot exceed 100 characters'],
          status: '400',
        }),
      );
      return;
    }
    const matches = buildings.filter((building) =>
      street.toUpperCase().startsWith(building.street.split(' ').slice(0, 2).join(' ')),
    );
    response.writeHead(200, { 'Content-Type': 'application/json;charset=UTF-8' }).end(
      JSON.stringify({
        result: {
          input: { address: { street }, benchmark: { isDefault: true } },
          addressMatches: matches.map(matchOf),
        },
      }),
    );
  };
  return census;
}
