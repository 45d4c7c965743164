/** Gives kafkajs the codecs that it lacks: snappy, lz4 and, for reading, zstd. It has gzip itself. */
import kafkajs from 'kafkajs';
import { snappy, unsnappy } from './snappy.js';

interface Encoded {
  readonly buffer: Buffer;
}

let registered = false;

/** kafkajs keeps its codecs for the whole process, so this is done once. Each library is loaded when it is needed. */
export function registerCodecs(): void {
  if (registered) return;
  registered = true;
  const { CompressionCodecs, CompressionTypes } = kafkajs;
  CompressionCodecs[CompressionTypes.Snappy] = () => ({
    compress: async ({ buffer }: Encoded) => snappy(buffer),
    decompress: async (bytes: Buffer) => unsnappy(bytes),
  });
  CompressionCodecs[CompressionTypes.LZ4] = () => ({
    compress: async ({ buffer }: Encoded) => (await import('lz4-napi')).compressFrame(buffer),
    decompress: async (bytes: Buffer) => (await import('lz4-napi')).decompressFrame(bytes),
  });
  CompressionCodecs[CompressionTypes.ZSTD] = () => ({
    async compress() {
      throw new Error('zstd can only be read; choose gzip, snappy or lz4 to write');
    },
    async decompress(bytes: Buffer) {
      const plain = (await import('fzstd')).decompress(bytes);
      return Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength);
    },
  });
}
