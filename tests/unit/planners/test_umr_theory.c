#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "planners/rounds/umr_theory.h"
#include "planners/star/reduced_star.h"
#include "umr_fixture.h"

enum { SEEDS = 300 };

/* Parameters of one closed form, without a platform. */
static struct ls_umr random_theory(struct ls_random *random, struct ls_star_worker *worker) {
  struct ls_umr umr;
  size_t count = 1 + ls_random_below(random, 50);
  double theta = random_theta(random), per_unit_s = between(random, 0.2, 5);
  *worker = (struct ls_star_worker){.send_latency_s = between(random, 0, 0.5),
                                    .send_per_unit_s = per_unit_s / (theta * (double)count),
                                    .delay_s = ls_random_real(random),
                                    .compute_latency_s = between(random, 0, 0.5),
                                    .compute_per_unit_s = per_unit_s};
  ls_umr_init_identical(&umr, worker, count, pow(10, between(random, 0, 6)));
  return umr;
}

/* Eq. 12 divided by -2 B (1 - theta^M)/(1 - theta) is cLat less what dEx/dM subtracts; Eq. 22 is
 * Eq. 12 divided by B. */
static void the_papers_equations_have_the_root_of_the_slope(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct ls_random random;
    struct ls_star_worker worker;
    ls_random_init(&random, seed, "equations");
    struct ls_umr umr = random_theory(&random, &worker);
    double rounds = between(&random, 1, 12), n = (double)umr.workers_count;
    if (fabs(rounds * umr.log_theta) < 0.05) continue; /* the printed forms lose their digits */
    double power = pow(umr.theta, rounds), b = 1 / worker.send_per_unit_s;
    double alpha = umr.eta / n, series = (1 - power) / (1 - umr.theta);
    double eq12 = n * alpha -
                  (umr.load - n * rounds * alpha) * power * log(umr.theta) / (1 - power) -
                  2 * worker.compute_latency_s * b * series;
    double a = umr.send_per_unit_s;
    double eq22 = (rounds * umr.eta - umr.load) * power * log(umr.theta) * a / (1 - power) +
                  umr.eta * a - 2 * umr.compute_latency_s * series;
    double scale = fabs(umr.eta) + umr.load + 2 * worker.compute_latency_s * b * fabs(series);
    assert_true(fabs(eq12 - eq22 * b) <= 1e-9 * scale);
    assert_true(fabs(eq12 + 2 * b * series * ls_umr_slope(&umr, rounds)) <= 1e-9 * scale);
  }
}

static void the_slope_is_the_derivative_of_the_prediction(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct ls_random random;
    struct ls_star_worker worker;
    ls_random_init(&random, seed, "derivative");
    struct ls_umr umr = random_theory(&random, &worker);
    double rounds = between(&random, 1.01, 50), h = 1e-4;
    double numeric =
        (ls_umr_predict(&umr, rounds + h) - ls_umr_predict(&umr, rounds - h)) / (2 * h);
    double scale = fabs(numeric) + 1e-7 * ls_umr_predict(&umr, rounds) + 1e-6;
    assert_true(fabs(numeric - ls_umr_slope(&umr, rounds)) <= 1e-4 * scale);
  }
}

/* The general sums of 3.2, forced by a delay that the theory of rounds does not see. */
static void identical_workers_get_the_forms_of_different_ones(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct ls_random random;
    struct ls_star_worker workers[51];
    struct ls_umr general;
    ls_random_init(&random, seed, "forms");
    struct ls_umr umr = random_theory(&random, &workers[0]);
    if (umr.workers_count == 1) continue;
    for (size_t i = 1; i < umr.workers_count; i++) workers[i] = workers[0];
    workers[0].delay_s += 1;
    ls_umr_init(&general, workers, umr.workers_count, umr.load);
    assert_true(umr.is_identical);
    assert_false(general.is_identical);
    assert_true(is_close(umr.theta, general.theta, 1e-12));
    assert_true(is_close(umr.speed, general.speed, 1e-12));
    double rounds = between(&random, 1, 50);
    assert_true(fabs(ls_umr_round_first(&umr, rounds) - ls_umr_round_first(&general, rounds)) <=
                1e-9 * umr.load);
    assert_true(is_close(ls_umr_predict(&umr, rounds), ls_umr_predict(&general, rounds), 1e-9));
    double chunk = ls_umr_chunk(&umr, &workers[0], 5);
    assert_true(is_close(chunk, ls_umr_chunk(&general, &workers[0], 5), 1e-9));
  }
}

static void nothing_jumps_where_theta_passes_one(void **state) {
  static const double steps[] = {1e-13, 1e-12, 1e-11, 1e-9, 1e-7, 1e-5, 0.99e-4, 1.01e-4, 1e-3};
  (void)state;
  struct ls_star_worker worker = {0.01, 0.1, 0.2, 0.3, 1, 0, 0};
  struct ls_umr at_one;
  ls_umr_init_identical(&at_one, &worker, 10, 1000);
  assert_true(isnan(at_one.eta));
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    for (int side = -1; side <= 1; side += 2) {
      struct ls_umr near;
      struct ls_star_worker moved = worker;
      moved.send_per_unit_s /= 1 + side * steps[i];
      ls_umr_init_identical(&near, &moved, 10, 1000);
      for (double rounds = 1; rounds <= 50; rounds += 3.5) {
        /* The forms themselves move by at most this: what is left is what rounding does. */
        double moves = 60 * steps[i] * 50 + 1e-9;
        assert_true(
            is_close(ls_umr_predict(&near, rounds), ls_umr_predict(&at_one, rounds), moves));
        assert_true(fabs(ls_umr_round_first(&near, rounds) - ls_umr_round_first(&at_one, rounds)) <=
                    moves * 1000);
        assert_true(fabs(ls_umr_slope(&near, rounds) - ls_umr_slope(&at_one, rounds)) <=
                    moves * 10);
      }
    }
  }
}

/* The sums that g and P of 3.3 stand for, term by term. */
static void near_theta_one_the_first_round_has_its_digits(void **state) {
  static const double steps[] = {0, 1e-13, 1e-12, 1e-11, 1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3};
  (void)state;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    for (int side = -1; side <= 1; side += 2) {
      double theta = 1 + side * steps[i];
      struct ls_star_worker worker = {0.01, 1 / (10 * theta), 0.2, 0.3, 1, 0, 0};
      struct ls_umr umr;
      ls_umr_init_identical(&umr, &worker, 10, 1000);
      for (size_t rounds = 1; rounds <= 50; rounds++) {
        double g = 0, p = 0, power = 1;
        for (size_t j = 0; j < rounds; j++) {
          p += g;
          g += power;
          power *= theta;
        }
        double expected = (umr.load - umr.round_step * p) / g;
        assert_true(fabs(ls_umr_round_first(&umr, (double)rounds) - expected) <= 1e-9 * umr.load);
      }
    }
  }
}

/* Both sides of a limit between two forms of the numerics give the same rounds to 1e-9. */
static void the_forms_agree_where_they_meet(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct ls_random random;
    ls_random_init(&random, seed, "limits");
    size_t rounds = 2 + ls_random_below(&random, 49);
    /* |L| at 1e-4 (recurrence or closed form), |M L| at 1/2 (series or exponentials). */
    double limit = ls_random_below(&random, 2) == 0 ? 1e-4 : 0.5 / (double)rounds;
    double sign = ls_random_below(&random, 2) == 0 ? 1 : -1;
    double first[2], sizes[2][50];
    for (int side = 0; side < 2; side++) {
      double theta = exp(sign * limit * (1 + (side == 0 ? -1e-11 : 1e-11)));
      struct ls_star_worker worker = {0.02, 1 / (10 * theta), 0, 0.1, 1, 0, 0};
      struct ls_umr umr;
      ls_umr_init_identical(&umr, &worker, 10, 1000);
      first[side] = ls_umr_round_first(&umr, (double)rounds);
      ls_umr_round_sizes(&umr, rounds, sizes[side]);
    }
    assert_true(is_close(first[0], first[1], 1e-9));
    for (size_t j = 0; j < rounds; j++) {
      assert_true(fabs(sizes[0][j] - sizes[1][j]) <= 1e-9 * 1000);
    }
  }
}

static void rounds_sum_to_the_load_and_follow_the_recurrence(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    struct ls_umr umr;
    double sizes[50], sum = 0;
    open_scene(&scene, seed, 12);
    ls_umr_init(&umr, scene.workers.items, scene.workers.count, scene.load);
    size_t rounds = 1 + ls_random_below(&scene.random, 50);
    ls_umr_round_sizes(&umr, rounds, sizes);
    double largest = 0;
    for (size_t j = 0; j < rounds; j++) {
      sum += sizes[j];
      largest = fmax(largest, fabs(sizes[j]));
    }
    assert_true(fabs(sum - scene.load) <= 1e-9 * fmax(scene.load, largest));
    assert_true(fabs(sizes[0] - ls_umr_round_first(&umr, (double)rounds)) <= 1e-9 * largest);
    for (size_t j = 1; j < rounds; j++) {
      assert_true(fabs(sizes[j] - umr.theta * sizes[j - 1] - umr.round_step) <= 1e-9 * largest);
    }
    close_scene(&scene);
  }
}

/* Identity 3: a worker computes a chunk for as long as the whole next round is sent. */
static void a_chunk_lasts_as_long_as_sending_the_next_round(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    struct ls_umr umr;
    double sizes[50];
    open_scene(&scene, seed, 12);
    ls_umr_init(&umr, scene.workers.items, scene.workers.count, scene.load);
    size_t rounds = 2 + ls_random_below(&scene.random, 10);
    ls_umr_round_sizes(&umr, rounds, sizes);
    for (size_t j = 0; ls_umr_is_possible(&umr, rounds) && j + 1 < rounds; j++) {
      double send_s = 0;
      for (size_t i = 0; i < scene.workers.count; i++) {
        const struct ls_star_worker *worker = &scene.workers.items[i];
        send_s += worker->send_latency_s +
                  worker->send_per_unit_s * ls_umr_chunk(&umr, worker, sizes[j + 1]);
      }
      for (size_t i = 0; i < scene.workers.count; i++) {
        const struct ls_star_worker *worker = &scene.workers.items[i];
        double compute_s = worker->compute_latency_s +
                           worker->compute_per_unit_s * ls_umr_chunk(&umr, worker, sizes[j]);
        assert_true(fabs(compute_s - send_s) <= 1e-9 * fmax(send_s, scene.load / umr.speed));
      }
    }
    close_scene(&scene);
  }
}

/* Where chosen, M* is the least predicted end on its interval, and M is M* rounded. */
static void the_chosen_rounds_are_where_the_prediction_is_least(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    struct ls_umr umr;
    struct ls_umr_choice choice;
    open_scene(&scene, seed, 12);
    ls_umr_init(&umr, scene.workers.items, scene.workers.count, scene.load);
    ls_umr_choose(&umr, &choice);
    assert_int_equal(choice.rounds, ls_umr_choose_rounds(&umr));
    assert_true(choice.rounds >= 1 && choice.rounds <= LS_UMR_ROUNDS_MAX);
    assert_true(choice.rounds_real >= 1 && choice.rounds_real <= LS_UMR_ROUNDS_MAX);
    if (!choice.is_clamped && !choice.is_lowered) {
      assert_int_equal(choice.rounds, (size_t)floor(choice.rounds_real + 0.5));
    }
    double upper = LS_UMR_ROUNDS_MAX;
    if (umr.growth > 0 && umr.eta > 0) upper = fmin(upper, umr.load / umr.eta);
    double least_s = ls_umr_predict(&umr, choice.rounds_real);
    bool is_bounded_otherwise =
        (!(umr.growth > 0) && umr.round_step < 0) || (umr.growth < 0 && umr.eta < 0);
    for (double rounds = 1; !is_bounded_otherwise && rounds <= upper; rounds += 0.05) {
      double end_s = ls_umr_predict(&umr, rounds);
      if (!(end_s >= least_s * (1 - 1e-9))) {
        fail_msg("seed %llu: %g rounds end at %.17g, the chosen %g at %.17g",
                 (unsigned long long)seed, rounds, end_s, choice.rounds_real, least_s);
      }
    }
    close_scene(&scene);
  }
}

static void rounds_never_shrink_when_they_may_not(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    struct ls_umr umr;
    double sizes[50];
    open_scene(&scene, seed, 12);
    ls_umr_init(&umr, scene.workers.items, scene.workers.count, scene.load);
    size_t rounds = ls_umr_choose_rounds(&umr);
    ls_umr_round_sizes(&umr, rounds, sizes);
    for (size_t j = 1; umr.growth > 0 && j < rounds; j++) {
      assert_true(sizes[j] >= sizes[j - 1] - 1e-9 * scene.load);
    }
    close_scene(&scene);
  }
}

/* W/eta = 3 exactly, but not in binary: three rounds of eta units each. */
static void a_whole_bound_is_not_lost_to_rounding(void **state) {
  (void)state;
  struct ls_umr umr;
  struct ls_star_worker worker = {0, 1.0 / 30, 0, 0, 1, 0, 0};
  /* eta = N B S (N nLat)/(B - N S) = 1000/3 for N = 10, B = 30. */
  worker.send_latency_s = 1000.0 / 3 / 10 / 10 / 30 * 20;
  ls_umr_init_identical(&umr, &worker, 10, 1000);
  assert_true(is_close(umr.eta, 1000.0 / 3, 1e-12));
  assert_int_equal(ls_umr_choose_rounds(&umr), 3);
}

/* Identity 4, and the sum of the last round. */
static void the_last_round_ends_together(void **state) {
  (void)state;
  size_t filled = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    struct ls_umr umr;
    double units[12], starts_s[12], sent_s = 0, sum = 0, end_s = 0;
    open_scene(&scene, seed, 12);
    ls_umr_init(&umr, scene.workers.items, scene.workers.count, scene.load);
    double first = scene.load * between(&scene.random, 0, 0.5);
    double last = scene.load * between(&scene.random, 0.001, 0.5);
    bool is_filled = ls_umr_last_round(&umr, scene.workers.items, first, last, units);
    size_t empty = 0;
    for (size_t i = 0; i < umr.workers_count; i++) {
      const struct ls_star_worker *worker = &scene.workers.items[i];
      sent_s +=
          worker->send_latency_s + worker->send_per_unit_s * ls_umr_chunk(&umr, worker, first);
      starts_s[i] = sent_s + worker->delay_s + worker->compute_latency_s;
      assert_true(units[i] >= 0);
      sum += units[i];
      empty += !(units[i] > 0);
      end_s = fmax(end_s, units[i] > 0 ? starts_s[i] + units[i] * worker->compute_per_unit_s : 0);
    }
    assert_true(is_close(sum, last, 1e-9));
    assert_true(is_filled == (empty > 0));
    filled += is_filled;
    for (size_t i = 0; i < umr.workers_count; i++) {
      double own_s = starts_s[i] + units[i] * scene.workers.items[i].compute_per_unit_s;
      assert_true(units[i] > 0 ? is_close(own_s, end_s, 1e-9) : own_s >= end_s * (1 - 1e-9));
    }
    close_scene(&scene);
  }
  assert_true(filled > 0);
}

/* The second worker could begin when the first one is done, but for the last bits: a chunk of
 * 1.4e-13 units was sent, with its latency. */
static void a_last_chunk_that_is_rounding_is_not_sent(void **state) {
  (void)state;
  struct ls_umr umr;
  struct ls_star_worker workers[2];
  double units[2];
  for (uint32_t i = 0; i < 2; i++)
    workers[i] = (struct ls_star_worker){
        .number = i, .send_latency_s = 0.7, .send_per_unit_s = 0.1, .compute_per_unit_s = 0.3};
  ls_umr_init(&umr, workers, 2, 20);
  double later_s = 0.7 + 0.1 * ls_umr_chunk(&umr, &workers[1], 4);
  double last = later_s / 0.3 + 1e-12;
  assert_true(ls_umr_last_round(&umr, workers, 4, last, units));
  assert_true(is_close(units[0], last, 1e-9));
  assert_true(units[1] >= 0 && units[1] <= 0);
  assert_false(ls_umr_last_round(&umr, workers, 4, last + 1, units));
  assert_true(is_close(units[1], 0.5, 1e-9));
}

static size_t rounds_on_grid(size_t count, double rate, double compute_s, double send_s) {
  struct ls_umr umr;
  struct ls_star_worker worker = {.send_latency_s = send_s,
                                  .send_per_unit_s = 1 / rate,
                                  .compute_latency_s = compute_s,
                                  .compute_per_unit_s = 1};
  ls_umr_init_identical(&umr, &worker, count, 1000);
  return ls_umr_choose_rounds(&umr);
}

/* "UMR beats One-Batch in 35.8 %" of Table 2's 1,229,984 configurations: in all others it is
 * One-Batch, with one round.  Every latency of every third pair is enough here. */
static void on_the_published_grid_one_round_is_chosen_as_often(void **state) {
  size_t cases = 0, ones = 0;
  (void)state;
  for (size_t n = 10; n <= 50; n += 5) {
    for (size_t rate = 11 * n / 10; rate <= 5 * n; rate += 3) {
      for (size_t i = 0; i < 34 * 34; i++) {
        cases++;
        ones +=
            rounds_on_grid(n, (double)rate, 0.03 * (double)(i / 34), 0.03 * (double)(i % 34)) == 1;
      }
    }
  }
  double percent = 100 * (double)ones / (double)cases;
  assert_true(percent > 63.7 && percent < 64.9);
}

/* Figure 10: rounds against B = 11, 14, ..., 50 for ten workers.  The ends and turns of the curves
 * are those of the figure, which prints no numbers between them. */
static void rounds_follow_the_published_curves(void **state) {
  static const struct {
    double compute_s, send_s;
    size_t rounds[14];
  } curves[] = {{0, 0.3, {3, 9, 13, 16, 18, 20, 21, 22, 23, 24, 25, 25, 26, 26}},
                {0.49, 0.49, {2, 6, 5, 5, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3}},
                {0.97, 0.01, {8, 6, 5, 4, 4, 4, 3, 3, 3, 3, 3, 3, 3, 3}},
                {0.97, 0.97, {1, 3, 4, 4, 3, 3, 3, 3, 3, 3, 3, 3, 3, 2}}};
  (void)state;
  for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
    for (size_t k = 0; k < 14; k++) {
      assert_int_equal(
          rounds_on_grid(10, 11 + 3 * (double)k, curves[i].compute_s, curves[i].send_s),
          curves[i].rounds[k]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(on_the_published_grid_one_round_is_chosen_as_often),
      cmocka_unit_test(rounds_follow_the_published_curves),
      cmocka_unit_test(the_papers_equations_have_the_root_of_the_slope),
      cmocka_unit_test(the_slope_is_the_derivative_of_the_prediction),
      cmocka_unit_test(identical_workers_get_the_forms_of_different_ones),
      cmocka_unit_test(nothing_jumps_where_theta_passes_one),
      cmocka_unit_test(near_theta_one_the_first_round_has_its_digits),
      cmocka_unit_test(the_forms_agree_where_they_meet),
      cmocka_unit_test(rounds_sum_to_the_load_and_follow_the_recurrence),
      cmocka_unit_test(a_chunk_lasts_as_long_as_sending_the_next_round),
      cmocka_unit_test(the_chosen_rounds_are_where_the_prediction_is_least),
      cmocka_unit_test(rounds_never_shrink_when_they_may_not),
      cmocka_unit_test(a_whole_bound_is_not_lost_to_rounding),
      cmocka_unit_test(the_last_round_ends_together),
      cmocka_unit_test(a_last_chunk_that_is_rounding_is_not_sent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
