import { expect, test } from '@jest/globals';
import { everyUrl, serverUrls, urlFor } from '../../src/rules/server-urls.js';
import { analysis } from '../report/example.js';

const [like] = analysis().servers;

function urls(...servers: [name: string, addresses: string[], peerAddress: string | null, cluster?: string][]) {
  return serverUrls(
    servers.flatMap(([name, addresses, peerAddress, cluster = 'default']) =>
      like === undefined ? [] : [{ ...like, name, addresses, peerAddress, cluster }],
    ),
    'default',
  );
}

test('a server is asked at its own address and the port that it tells', () => {
  const known = urls(['cp2', ['10.0.0.12'], '10.0.0.12:7443'], ['cp1', ['fd00::1', 'fd00::2'], '[fd00::1]:6443']);
  expect(urlFor(known, 'cp2')).toBe('https://10.0.0.12:7443');
  expect(urlFor(known, 'cp1')).toBe("'https://[fd00::1]:6443'");
  expect(everyUrl(known)).toBe("'https://[fd00::1]:6443' https://10.0.0.12:7443");
});

test('an address that only peers are told is not taken for its own', () => {
  expect(urlFor(urls(['cp2', ['10.0.0.12'], '127.0.0.1:7443']), 'cp2')).toBe('https://10.0.0.12:6443');
  expect(urlFor(urls(['cp2', [], '10.0.0.1:6443']), 'cp2')).toBe('https://ADDRESS_OF_cp2:6443');
  expect(urlFor(urls(['cp2', ['10.0.0.12', '10.1.0.12'], null]), 'cp2')).toBe('https://ADDRESS_OF_cp2:6443');
});

test('what is not known, or of another cluster, is a placeholder; names are harmless in a shell', () => {
  const known = urls(['cp1', ['10.0.0.11'], null, 'other']);
  expect(urlFor(known, 'cp1')).toBe('https://ADDRESS_OF_cp1:6443');
  expect(urlFor(known, null)).toBe('https://ADDRESS_OF_THE_SERVER:6443');
  expect(everyUrl(known)).toBe(
    'https://ADDRESS_OF_SERVER_1:6443 https://ADDRESS_OF_SERVER_2:6443 https://ADDRESS_OF_SERVER_3:6443',
  );
  expect(urlFor(known, '$(reboot)')).toBe("'https://ADDRESS_OF_$(reboot):6443'");
});
