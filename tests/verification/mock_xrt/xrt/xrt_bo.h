// Buffers with a side of the host and one of the device: what isn't synchronised isn't seen.
#ifndef MOCK_XRT_BO
#define MOCK_XRT_BO

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>
#include <xrt/xrt_device.h>

enum xclBOSyncDirection { XCL_BO_SYNC_BO_TO_DEVICE, XCL_BO_SYNC_BO_FROM_DEVICE };

namespace xrt {

class bo {
  public:
    struct Sides {
        char *host, *device;
        std::size_t size;
        int group;
        Sides(std::size_t bytes, int bank) : size(bytes), group(bank) {
            host = static_cast<char *>(aligned_alloc(64, room()));
            device = static_cast<char *>(aligned_alloc(64, room()));
            for (std::size_t at = 0; at < room(); at++)
                host[at] = device[at] = char(0x7f);
        }
        // In words of 64 bytes, with two that nobody may write.
        std::size_t room() const { return (size + 63) / 64 * 64 + 128; }
        ~Sides() {
            for (std::size_t at = size; at < room(); at++)
                if (host[at] != char(0x7f) || device[at] != char(0x7f))
                    refuse("somebody wrote behind a buffer");
            std::free(host);
            std::free(device);
        }
    };

    bo(const device &, std::size_t bytes, int group) : sides(new Sides(bytes, group)) {}
    void write(const void *from) { std::memcpy(sides->host, from, sides->size); }
    void read(void *to) const { std::memcpy(to, sides->host, sides->size); }
    void sync(xclBOSyncDirection direction) {
        const bool in = direction == XCL_BO_SYNC_BO_TO_DEVICE;
        for (std::size_t at = 0; at < sides->size; at++)
            (in ? sides->device : sides->host)[at] = (in ? sides->host : sides->device)[at];
    }

    std::shared_ptr<Sides> sides;
};

} // namespace xrt

#endif
