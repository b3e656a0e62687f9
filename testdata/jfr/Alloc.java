// Allocates native memory, as the arguments say, and starts and stops the recording itself.
import java.lang.reflect.Field;
import sun.misc.Unsafe;

public class Alloc {
    static final Unsafe unsafe = unsafe();

    static Unsafe unsafe() {
        try {
            Field field = Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return (Unsafe) field.get(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static long small() { return unsafe.allocateMemory(5600); }
    static long large() { return unsafe.allocateMemory(1 << 20); }
    static long first() { return unsafe.allocateMemory(1024); }
    static long three() { return unsafe.allocateMemory(3072); }
    static long before() { return unsafe.allocateMemory(256 << 10); }
    static long grown(long address, int size) { return unsafe.reallocateMemory(address, size); }

    static void sites() {
        for (int i = 0; i < 40000; i++) small();
        for (int i = 0; i < 100; i++) large();
    }

    static void loop() {
        for (int i = 0; i < 50000; i++) {
            first();
            three();
        }
    }

    // Few allocations, some of which are freed or grow.
    static void few(long earlier) {
        for (int i = 0; i < 30; i++) {
            long address = small();
            if (i % 3 == 0) unsafe.freeMemory(address);
            if (i % 3 == 1) grown(address, 20000 + i);
        }
        for (int i = 0; i < 5; i++) large();
        unsafe.freeMemory(earlier);
    }

    public static void main(String[] args) throws Exception {
        one.profiler.AsyncProfiler profiler =
            one.profiler.AsyncProfiler.getInstance(args[0]);
        long earlier = before();
        for (int i = 0; i < 3; i++) { unsafe.freeMemory(small()); }
        profiler.execute("start," + args[2]);
        switch (args[1]) {
            case "sites": sites(); break;
            case "loop": loop(); break;
            case "few": few(earlier); break;
            case "chunks": {
                long kept = before();
                few(earlier);
                Thread.sleep(7000); // the shortest chunk has 5 s
                unsafe.freeMemory(kept);
                few(before());
                break;
            }
        }
        profiler.execute("stop," + args[2]);
    }
}
